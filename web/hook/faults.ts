import type { Problem } from '../connection/problem.ts'

/** Fault of a field or its parts: `accountIds.0.quantity` is a fault of `accountIds`. */
export const faultsUnder =
  (problem: Problem | null) =>
  (name: string): string | undefined =>
    problem?.faults.find(({ field }) => `${field}.`.startsWith(`${name}.`))?.message
