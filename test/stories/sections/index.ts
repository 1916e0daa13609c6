import type { Story } from '../story.ts'
import { ENDS } from './ends.ts'
import { FACTS } from './facts.ts'
import { POSITIONS } from './positions.ts'

/** Every story, by its subject. */
export const SECTIONS: Record<string, readonly Story[]> = {
  'facts that are odd for once': FACTS,
  'positions that are shown oddly, or change': POSITIONS,
  'orders that end, hang or wait': ENDS,
}
