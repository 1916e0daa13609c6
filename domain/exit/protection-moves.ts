import { type Decimal, figure } from '../money/decimal.ts'
import { exitInWords, type Protection, type StopNow } from './protection.ts'
import type { TimelineEntry } from '../signal/timeline.ts'

export const protectionMovedKey = (at: string): string => `protection-moved-${at.slice(0, 16)}`

/** A step of the timeline has the first and last price of a minute's moves. */
export const protectionMovedEntry = (
  at: string,
  { from, to, by, best }: { from: Decimal; to: Decimal; by: StopNow['by']; best: Decimal },
): TimelineEntry => ({
  key: protectionMovedKey(at),
  kind: 'protection_moved',
  at,
  message:
    `The stop at the broker is moved from ${figure(from)} to ${figure(to)}` +
    (by === 'trail'
      ? `: it follows the price, which was ${figure(best)} at best`
      : by === 'breakEven'
        ? ', which is break-even'
        : ''),
  data: { from, to, by, best },
})

export const protectionChangedKey = (at: string, by: string): string => `protection-changed-${at}-${by}`

export const protectionChangedEntry = (
  at: string,
  by: string,
  protection: Protection | null,
  covered: Decimal | null = null,
): TimelineEntry => ({
  key: protectionChangedKey(at, by),
  kind: 'protection_changed',
  at,
  message:
    protection === null
      ? `${by} removed the stop and target`
      : `${by} changed the stop and target: ${exitInWords(protection)}`,
  data: { by, protection, ...(covered !== null && { covered }) },
})
