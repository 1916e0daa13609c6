import type { Story } from '../story.ts'
import { CALENDAR } from './calendar.ts'
import { CHANGED } from './changed.ts'
import { ENDS } from './ends.ts'
import { FACTS } from './facts.ts'
import { FILLS } from './fills.ts'
import { POSITIONS } from './positions.ts'
import { REFUSED } from './refused.ts'

/** Every story, by its subject. */
export const SECTIONS: Record<string, readonly Story[]> = {
  'fills that come late': FILLS,
  'a broker that refuses requests': REFUSED,
  'facts that are odd for once': FACTS,
  'days that are told oddly, or change': CALENDAR,
  'positions that are shown oddly, or change': POSITIONS,
  'orders that the broker changes': CHANGED,
  'orders that end, hang or wait': ENDS,
}
