import { saysOf } from '../risk/permissions.ts'
import type { AlertNotice } from './alert.ts'
import { isClockBelieved } from '../time/broker-clock.ts'
import { isPositive, isZero, negate, type Decimal, figure, sharesOf } from '../money/decimal.ts'
import type { OrderSide } from '../order/order.ts'
import { distanceInWords, PART_WORDS, type LevelName, type RestingOrder } from '../exit/protection.ts'
import type { TradingSession } from '../time/session.ts'

/** @param pollEvery milliseconds between two reconciliations */
export const streamRefused = (detail: string, pollEvery: number): AlertNotice => ({
  kind: 'stream_refused',
  message: `The broker refuses its order stream (${detail}): fills are polled every ${figure(`${Math.ceil(pollEvery / 1_000)}`)} s. Orders and exits are sent as usual`,
  data: {},
})

export const tradingBlocked = (blocks: readonly string[], symbols: readonly string[]): AlertNotice => ({
  kind: 'trading_blocked',
  message: `${saysOf(blocks)}. Exits are planned in ${symbols.join(', ')}, and the broker may refuse them: ask the broker to lift the block, or close the positions there. Exits and closes are still sent when due, and new entries are denied`,
  data: { blocks, symbols },
})

export interface WorkingExit {
  symbol: string
  side: OrderSide
  quantity: Decimal
  filledQuantity: Decimal
  clientOrderId: string
}

export function exitUnfilled(
  { symbol, side, quantity, filledQuantity, clientOrderId }: WorkingExit,
  isPassedOver: boolean,
): AlertNotice {
  const rest = `${side} ${sharesOf(filledQuantity, quantity)} of ${symbol}`
  const message = isPassedOver
    ? `The price has passed over a stop, whose limit keeps it from being sold: ${rest}`
    : `The exit was sent and is not filled: ${rest} after more than a minute of the session, as when trading in it is halted`
  return {
    kind: 'exit_unfilled',
    message: `${message}. The order works on`,
    data: { clientOrderId, filledQuantity, ...(isPassedOver && { isPassedOver }) },
  }
}

export function protectionBlind({
  symbol,
  resting,
  keptHere,
  why,
  since,
}: {
  symbol: string
  resting: RestingOrder | null
  keptHere: readonly LevelName[]
  why: string | null
  since: string
}): AlertNotice {
  const missing = keptHere.map((part) => PART_WORDS[part]).join(', ')
  return {
    kind: 'protection_blind',
    message: `There is no current price of ${symbol} since ${since}. At the broker: ${restingInWords(resting)}. Not at the broker: ${missing}, until there are prices again`,
    data: { since, keptHere, why, atBroker: resting },
  }
}

function restingInWords(resting: RestingOrder | null): string {
  if (resting === null) return 'no stop or target'
  const { orderType, limitPrice, stopPrice, trail } = resting
  const stop = stopPrice && `a stop at ${figure(stopPrice)}`
  const target = orderType !== 'stopLimit' && limitPrice && `a target at ${figure(limitPrice)}`
  if (orderType === 'trailingStop')
    return trail === undefined ? 'a trailing stop' : `a trailing stop of ${distanceInWords(trail)}`
  return [stop, target].filter(Boolean).join(' and ')
}

export interface SharesClosedElsewhere {
  symbol: string
  closed: Decimal
  filled: Decimal
  left: Decimal
  side: 'LONG' | 'SHORT'
  hasExit: boolean
}

export function soldElsewhere({
  symbol,
  closed,
  filled,
  left,
  side,
  hasExit,
}: SharesClosedElsewhere): AlertNotice {
  const how = side === 'LONG' ? 'sold' : 'bought to cover'
  const rest = isZero(left)
    ? 'nothing is left to close'
    : `${hasExit ? 'the exit is for the other' : 'still held are the other'} ${figure(left)}`
  return {
    kind: 'sold_elsewhere',
    message: `${figure(closed)} of ${figure(filled)} ${symbol} of this signal were ${how} at the broker, outside this app; ${rest}`,
    data: { closed, left },
  }
}

/** Milliseconds of open sessions; instants in milliseconds since the epoch. */
export const openBetween = (from: number, to: number, sessions: readonly TradingSession[]): number =>
  sessions.reduce((sum, { opensAt, closesAt }) => {
    const [begin, end] = [Math.max(from, Date.parse(opensAt)), Math.min(to, Date.parse(closesAt))]
    return sum + Math.max(0, end - begin)
  }, 0)

/** @param offset milliseconds that the broker's clock is ahead */
export const clockDiffers = (offset: number): AlertNotice => {
  const seconds = Math.round(Math.abs(offset) / 1_000)
  const difference = `The clock of the broker is ${seconds} s ${offset > 0 ? 'ahead of' : 'behind'} the clock of this service`
  return {
    kind: 'clock_differs',
    message: isClockBelieved(offset)
      ? `${difference}. Exits are planned by the difference`
      : `${difference}, which is ignored: exits are planned by the clock of this service`,
    data: { offsetSeconds: offset / 1_000 },
  }
}

function heldInWords(held: Decimal, symbol: string): string {
  if (isZero(held)) return `holds nothing of ${symbol}`
  return isPositive(held) ? `holds ${held} ${symbol}` : `is short ${negate(held)} ${symbol}`
}

/** Shares of the order; `held`: of the account afterwards, negative when short. */
export const fillAmended = (
  symbol: string,
  { before, now, held }: { before: Decimal; now: Decimal; held: Decimal },
  isCorrected: boolean,
): AlertNotice => ({
  kind: 'fill_amended',
  message: `The broker has ${isCorrected ? 'corrected' : 'taken back'} an execution in ${symbol}: the order had filled ${before} and has filled ${now}. The account ${heldInWords(held, symbol)} now`,
  data: { before, now, symbol, held },
})
