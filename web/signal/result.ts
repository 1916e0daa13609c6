import type { OpenTrade, SignalDetail } from '#client/types.ts'
import { isOpening } from '#domain/signal/signal.ts'
import { gain, money, number } from '../words/figures.ts'

type Closed = Pick<SignalDetail, 'filledQuantity' | 'result'>

/** Shares that a signal still owns, as far as executions are listed. */
export const openShares = ({ filledQuantity, result }: Closed): number =>
  filledQuantity - result.closedQuantity

export const isAllClosed = (signal: Closed): boolean => signal.filledQuantity > 0 && openShares(signal) <= 0

/** Words of an exit whose shares others have closed. */
export const nothingLeft = ({ action }: Pick<SignalDetail, 'action'>): string =>
  action === 'openShort' ? 'Nothing left to buy' : 'Nothing left to sell'

/** Result over all shares of a signal. */
interface Result {
  /** Dollars after fees; null while the price of open shares is unknown. */
  pnl: number | null
  /** Percent of the entry's value. */
  rate: number | null
  isSoFar: boolean
  /** Average dollars a share of closed shares; null without any. */
  out: number | null
  /** Dollars a share of open shares. */
  price: number | null
  fees: number
}

/** Null if the signal opened nothing, or its executions are not listed yet. */
export function resultOf(signal: SignalDetail, open: readonly OpenTrade[]): Result | null {
  const { result, avgFillPrice, filledQuantity } = signal
  if (!isOpening(signal.action) || (result.closes.length === 0 && open.length === 0)) return null
  const isSoFar = !isAllClosed(signal)
  const known = open.flatMap(({ unrealisedPnl }) => (unrealisedPnl === null ? [] : [unrealisedPnl]))
  const isKnown = !isSoFar || (open.length > 0 && known.length === open.length)
  const pnl = isKnown ? result.realisedPnl + (isSoFar ? sum(known) : 0) : null
  const worth = filledQuantity * (avgFillPrice ?? 0)
  return {
    pnl,
    rate: pnl === null || worth === 0 ? null : (pnl / worth) * 100,
    isSoFar,
    out: result.closes.length === 0 ? null : closedTogether(result.closes).price,
    price: isSoFar ? (open[0]?.currentPrice ?? null) : null,
    fees: result.fees + (isSoFar ? sum(open.map(({ fees }) => fees)) : 0),
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

export interface ClosedShares {
  quantity: number
  /** Dollars a share. */
  price: number
  /** Dollars, after fees. */
  realisedPnl: number
}

/** Combines closes into one at their average price. */
export function closedTogether(closes: readonly ClosedShares[]): ClosedShares {
  const quantity = sum(closes.map((close) => close.quantity))
  return {
    quantity,
    price: sum(closes.map((close) => close.quantity * close.price)) / quantity,
    realisedPnl: sum(closes.map((close) => close.realisedPnl)),
  }
}

type Close = SignalDetail['result']['closes'][number]

export const EXIT_REASON_NAMES = {
  STOP_LOSS: 'stop loss',
  TAKE_PROFIT: 'take profit',
  TRAILING_STOP: 'trailing stop',
  BREAK_EVEN: 'break-even',
  TIME: 'time',
  CLOSE: 'closed',
} as const satisfies Record<Close['reason'], string>

const REASON_SENTENCES = {
  STOP_LOSS: 'Stop loss reached',
  TAKE_PROFIT: 'Take profit reached',
  TRAILING_STOP: 'Trailing stop reached',
  BREAK_EVEN: 'Break-even stop reached',
  TIME: 'Time of the exit reached',
  CLOSE: 'Closed',
} as const satisfies Record<Close['reason'], string>

/** Total closed by an exit order of the signal; null until an execution is listed. */
export function closeBy(
  clientOrderId: unknown,
  { result }: Pick<SignalDetail, 'result'>,
): Omit<Close, 'by'> | null {
  const own = result.closes.filter((close) => close.by === 'exit' && close.clientOrderId === clientOrderId)
  const last = own.at(-1)
  return last ? { ...last, ...closedTogether(own) } : null
}

/** Close by the signal's own exit: "Take profit reached: sold 50 at $30.00 (+$182.00)". */
export const exitSentence = (
  { reason, quantity, price, realisedPnl }: Omit<Close, 'by'>,
  isShort: boolean,
): string =>
  `${REASON_SENTENCES[reason]}: ${isShort ? 'bought to cover' : 'sold'} ${number(quantity)} at ${money(price)} (${gain(realisedPnl)})`

/** Reason of the last close; null while a part is open. */
export const lastReason = (signal: SignalDetail): Close['reason'] | null =>
  isAllClosed(signal) ? (signal.result.closes.at(-1)?.reason ?? null) : null

/** Exit reason and result, "Take profit, +$182.00"; nothing while a part is open. */
export function closedNote(signal: SignalDetail): { note?: string } {
  const reason = lastReason(signal)
  if (reason === null) return {}
  const name = EXIT_REASON_NAMES[reason]
  const what = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  return { note: `${reason === 'CLOSE' ? '' : `${what}, `}${gain(signal.result.realisedPnl)}` }
}

/** Close by another order: "2 sold by hand by ann@example.com at $215.51". */
export function closeSentence(
  { quantity, price, realisedPnl, by, signalId, person }: Close,
  isShort: boolean,
): string {
  const done = `${number(quantity)} ${by === 'signal' ? 'closed' : isShort ? 'bought to cover' : 'sold'}`
  const how = {
    exit: 'by its exit',
    signal: `by signal ${(signalId ?? '').slice(0, 8)}`,
    person: person === null ? 'by hand' : `by hand by ${person}`,
    elsewhere: 'at the broker, outside this app,',
  }[by]
  return `${done} ${how} at ${money(price)} (${gain(realisedPnl)})`
}
