import { canChange } from '../risk/denial.ts'
import type { AlertNotice } from '../alert/alert.ts'
import { type Decimal, figure } from '../money/decimal.ts'
import { isTerminal, type OrderStatus } from '../order/order.ts'
import type { TradingSession } from '../time/session.ts'

/** Closes all positions in rounds, by request or calendar. */

/** held: an obstacle delays the next try. failed: no further try. */
export type FlattenLineStatus = 'closing' | 'closed' | 'failed' | 'held'
export type FlattenStatus = 'working' | 'done' | 'failed'

export const flattenWorkflowIdFor = (flattenId: string): string => `flatten-${flattenId}`

/** Milliseconds of open exchange before an alert. */
export const FLATTEN_ALARM_MS = 60_000
/** Milliseconds until a request gives up: longer than a full stop over a long weekend. */
export const FLATTEN_PATIENCE_MS = 5 * 24 * 3_600_000
/** Milliseconds between two closing orders; the last value repeats. */
const TRY_AGAIN_AFTER = [2_000, 5_000, 15_000, 30_000, 60_000, 120_000, 300_000]
/** Lasting rejections before the line fails. */
const MOST_REFUSALS = 6
/** Milliseconds for which an order's report counts against the position. */
export const FILL_SHOWN_WITHIN_MS = 15_000

export interface ClosingOrder {
  signalId: string
  clientOrderId: string
  status: OrderStatus
  isWhole: boolean
  isPlaced: boolean
  code: string | null
  reason: string | null
  changedAt: string
}

export interface Opening {
  symbol: string
  detail: string
}

export interface HeldLine {
  accountId: string
  symbol: string
  side: 'LONG' | 'SHORT'
  held: Decimal
  tries: number
  order: ClosingOrder | null
}

export interface LineStep {
  status: Exclude<FlattenLineStatus, 'closed'>
  detail: string | null
  /** Milliseconds since the epoch; null while an order is in flight, and for a failed line. */
  next: number | null
}

/**
 * The close of a session takes everything. A request takes the shares of its first look, and those that older entries
 * still open: later positions stay.
 * @param line of symbol and side
 * @param openings at the last look; null before the first
 */
export const mustClose = (
  cause: 'request' | 'close',
  symbol: string,
  line: { status: FlattenLineStatus; order: ClosingOrder | null } | null,
  openings: readonly Opening[] | null,
): boolean =>
  cause === 'close' ||
  openings === null ||
  openings.some((opening) => opening.symbol === symbol) ||
  (line !== null && line.status !== 'closed' && !(line.order?.status === 'FILLED' && line.order.isWhole))

export function stepOf({ symbol, held, tries, order }: HeldLine, now: number): LineStep {
  if (order === null) return { status: 'closing', detail: null, next: now }
  const { status, isPlaced, reason, changedAt } = order
  if (!isTerminal(status))
    return {
      status: 'closing',
      detail: isPlaced ? null : 'The order is on its way to the broker',
      next: null,
    }
  const ended = Date.parse(changedAt)
  if (status === 'FILLED') {
    if (now - ended < FILL_SHOWN_WITHIN_MS)
      return {
        status: 'closing',
        detail: 'The order is filled; the broker still shows the position',
        next: null,
      }
    return { status: 'closing', detail: `${figure(held)} ${symbol} are held still`, next: now }
  }
  const pause = TRY_AGAIN_AFTER[Math.min(tries, TRY_AGAIN_AFTER.length) - 1] ?? 0
  const why = reason ?? `The order is ${status}`
  if (!canPass(order) && tries >= MOST_REFUSALS)
    return { status: 'failed', detail: `${why}. It was tried ${tries} times`, next: null }
  return { status: 'held', detail: why, next: ended + pause }
}

/** A late or cancelled order is sent again; a lasting rejection ends it. */
const canPass = ({ status, code }: ClosingOrder): boolean =>
  status !== 'REJECTED' || code === 'STALE' || (code !== null && canChange(code))

/** Milliseconds, at most until the next instant of `before`. */
export function pauseAfterRound(
  round: number,
  { isOpen, now, before }: { isOpen: boolean; now: number; before: readonly (string | null)[] },
): number {
  const usual = round <= 10 ? 1_000 : round <= 40 ? 5_000 : isOpen ? 15_000 : 60_000
  const until = before
    .flatMap((instant) => (instant === null ? [] : Date.parse(instant) - now))
    .filter((left) => left > 0)
  return Math.min(usual, ...until)
}

export const isOpenAt = (now: number, sessions: readonly TradingSession[]): boolean =>
  sessions.some(({ opensAt, closesAt }) => Date.parse(opensAt) <= now && now < Date.parse(closesAt))

interface Left {
  lines: readonly { symbol: string; held: Decimal; detail: string | null }[]
  openings: readonly Opening[]
  trouble: string | null
}

export function notFlat(
  flattenId: string,
  { lines, openings, trouble }: Left,
  { hasEnded, closesAt }: { hasEnded: boolean; closesAt: string | null },
): AlertNotice {
  const held = lines.map(
    ({ symbol, held: quantity, detail }) =>
      `${figure(quantity)} ${symbol}${detail === null ? '' : ` (${detail.replace(/\.$/, '')})`}`,
  )
  if (trouble !== null) held.push(`what the broker did not report (${trouble})`)
  const left = [
    ...(held.length > 0 ? [`this is ${hasEnded ? 'held still' : 'not yet'}: ${held.join(', ')}`] : []),
    ...(openings.length > 0
      ? [`this may still open a position: ${openings.map(({ detail }) => detail).join(', ')}`]
      : []),
  ].join('; ')
  const until = closesAt === null ? '' : `, and the session ends at ${closesAt}`
  return {
    kind: 'not_flat',
    message: hasEnded
      ? `Everything was to be closed, and ${left}. It is not tried any more`
      : `Everything must be closed, and ${left}. It is tried again${until}`,
    data: { flattenId, hasEnded, symbols: [...lines, ...openings].map(({ symbol }) => symbol) },
  }
}
