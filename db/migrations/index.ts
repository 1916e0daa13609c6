import { Baseline } from './0001-baseline.ts'

/** In order of application; a published one is never edited. */
export const migrations = [{ name: '0001-baseline', class: Baseline }]
