import { BEYOND_OPERATORS } from './beyond-operators.ts'
import { RACES } from './races.ts'

/** Every planted mistake. */
export const MUTANTS = [...RACES, ...BEYOND_OPERATORS]
