import type { Mutant } from './mutant.ts'
export const EDGES: readonly Mutant[] = []
