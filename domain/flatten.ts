import { canChange } from './denial.ts'
import type { AlertNotice } from './alert.ts'
import type { Decimal } from './decimal.ts'
import { figure } from './figures.ts'
import { isTerminal, type OrderStatus } from './order.ts'
import type { TradingSession } from './session.ts'

/**
 * Closing everything: one request, or the calendar, has all positions of a scope closed, looked at round by round until nothing is
 * held or no further try can help. Each round begins with what the broker shows.
 */

/** closing: an order is on its way. held: something keeps it from being closed, and it is tried again. failed: it is not tried again. */
export type FlattenLineStatus = 'closing' | 'closed' | 'failed' | 'held'
export type FlattenStatus = 'working' | 'done' | 'failed'

/** The Temporal workflow that closes everything for one request. */
export const flattenWorkflowIdFor = (flattenId: string): string => `flatten-${flattenId}`

/** Milliseconds from a request until what is not closed by then is alarmed; while the exchange is closed nothing is. */
export const FLATTEN_ALARM_MS = 60_000
/** Milliseconds after which a request gives up what can pass and has not: a full stop over a long weekend is reckoned with. */
export const FLATTEN_PATIENCE_MS = 5 * 24 * 3_600_000
/** Milliseconds between the end of a closing order and the next one; the last one repeats. */
const TRY_AGAIN_AFTER = [2_000, 5_000, 15_000, 30_000, 60_000, 120_000, 300_000]
/** So many orders are refused for a reason that is none to pass before the line is given up. */
const MOST_REFUSALS = 6
/** Milliseconds for which a filled order counts while the broker still shows the position, and one that works while it does not. */
export const FILL_SHOWN_WITHIN_MS = 15_000

/** The order of a line as the ledger shows it. */
export interface ClosingOrder {
  status: OrderStatus
  /** With its broker. */
  isPlaced: boolean
  code: string | null
  reason: string | null
  /** When it ended, or changed last while it works; UTC instant. */
  changedAt: string
}

/** A position of the scope, and how far it is closed. */
export interface HeldLine {
  accountId: string
  symbol: string
  side: 'LONG' | 'SHORT'
  /** Shares of the scope that are held now. */
  held: Decimal
  tries: number
  order: ClosingOrder | null
}

/** What a round does with a position that is still held. `next`: UTC milliseconds of the next order. */
export interface LineStep {
  status: Exclude<FlattenLineStatus, 'closed'>
  detail: string | null
  /** Milliseconds since the epoch at which another order is due; null while one is on its way, and of a failed line. */
  next: number | null
}

/**
 * Whether a position belongs to a flattening. The close of a session takes all that is held. A request takes what was held when it
 * first looked at the account, and what entries from before it open until they are stopped: what comes later stays, also of a symbol
 * that was closed before.
 *
 * @param status of the line of its symbol and side; null without one
 * @param entering symbols in which such entries could still fill at the last look at the account; null before the first look
 */
export const isToBeClosed = (
  cause: 'request' | 'close',
  { symbol, status }: { symbol: string; status: FlattenLineStatus | null },
  entering: readonly string[] | null,
): boolean =>
  cause === 'close' ||
  entering === null ||
  entering.includes(symbol) ||
  (status !== null && status !== 'closed')

/** Judges a position that is held: whether its order is waited for, another one is due, or no further one can help. */
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

/**
 * Whether the next order may be taken. What could not be sent in time, or was cancelled or died at the broker, is sent again for as long
 * as there is time; what the broker or a rule refuses for good is given up.
 */
const canPass = ({ status, code }: ClosingOrder): boolean =>
  status !== 'REJECTED' || code === 'STALE' || (code !== null && canChange(code))

/**
 * Milliseconds until the next round: soon while orders are on their way, and ever more rarely, and at the instants that are named.
 *
 * @param before UTC instants that no pause passes over
 */
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

/** Whether an exchange is open. */
export const isOpenAt = (now: number, sessions: readonly TradingSession[]): boolean =>
  sessions.some(({ opensAt, closesAt }) => Date.parse(opensAt) <= now && now < Date.parse(closesAt))

/** Shares that are to be gone and are held still. */
interface Left {
  symbol: string
  quantity: Decimal
  detail: string | null
}

/** Something of an account that is to be closed is not. `isOver`: nothing more is tried. */
export function notFlat(
  flattenId: string,
  left: readonly Left[],
  { trouble, isOver, closesAt }: { trouble: string | null; isOver: boolean; closesAt: string | null },
): AlertNotice {
  const held = left.map(
    ({ symbol, quantity, detail }) =>
      `${figure(quantity)} ${symbol}${detail === null ? '' : ` (${detail.replace(/\.$/, '')})`}`,
  )
  const what = [...held, ...(trouble === null ? [] : [`what the broker did not tell (${trouble})`])].join(
    ', ',
  )
  const until = closesAt === null ? '' : `, and the session ends at ${closesAt}`
  return {
    kind: 'not_flat',
    message: isOver
      ? `Everything was to be closed, and this is held still: ${what}. It is not tried any more`
      : `Everything is to be closed, and this is not yet: ${what}. It is tried again${until}`,
    data: { flattenId, isOver, symbols: left.map(({ symbol }) => symbol) },
  }
}
