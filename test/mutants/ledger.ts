import type { Mutant } from './mutant.ts'
export const LEDGER: readonly Mutant[] = []
