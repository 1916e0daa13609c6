import { Baseline } from './0001-baseline.ts'

/** In the order in which they are applied; a published one is never edited. */
export const migrations = [{ name: '0001-baseline', class: Baseline }]
