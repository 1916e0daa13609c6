import type { BugName } from './bugs.ts'

/** Into the worker's signals of which symbol which bug is planted. */
export type BugPlan = Record<string, BugName>

const VARIABLE = 'PLANTED_BUGS'

export const planting = (plan: BugPlan): { [VARIABLE]: string } => ({ [VARIABLE]: JSON.stringify(plan) })

const planned = JSON.parse(process.env[VARIABLE] ?? '{}') as BugPlan

/** Null for a symbol without a bug. */
export const plantedIn = (symbol: string | null): BugName | null =>
  (symbol === null ? undefined : planned[symbol]) ?? null
