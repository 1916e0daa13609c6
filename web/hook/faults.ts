import type { Problem } from '../connection/problem.ts'

/** What is wrong with a field of a form, or with a part of it: `accountIds.0.quantity` is a fault of `accountIds`. */
export const faultsUnder =
  (problem: Problem | null) =>
  (name: string): string | undefined =>
    problem?.faults.find(({ field }) => `${field}.`.startsWith(`${name}.`))?.message
