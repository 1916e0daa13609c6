import { Spine } from './0001-spine.ts'

/** In the order in which they are applied; a published one is never edited. */
export const migrations = [{ name: '0001-spine', class: Spine }]
