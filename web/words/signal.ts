import type { Account, Signal } from '#client/types.ts'
import { TRIGGER } from '#domain/exit/exit.ts'
import { SIDE_DONE, SIDE_VERBS, type OrderSide } from '#domain/order/order.ts'
import { ENTRY_SIDE, isOpening } from '#domain/signal/signal.ts'
import { money, number, shares } from './figures.ts'
import { isBuying, LIFETIMES, priceWords } from './order.ts'

export const isBuy = ({ action }: Pick<Signal, 'action'>): boolean => isBuying({ side: ENTRY_SIDE[action] })
export const verb = ({ action }: Pick<Signal, 'action'>): string => SIDE_VERBS[ENTRY_SIDE[action]]
export type SideAsked = Pick<Signal, 'action'> & Partial<Pick<Signal, 'targetPosition'>>

/** Side of a signal's levels and exit: that of its target position, if it has one. */
export function sideOpened({ action, targetPosition }: SideAsked): 'LONG' | 'SHORT' {
  if (targetPosition == null || targetPosition === 0) return action.endsWith('Long') ? 'LONG' : 'SHORT'
  return targetPosition > 0 ? 'LONG' : 'SHORT'
}

/** "opens a long position"; "leads to a short position" for a target position. */
export function effect(signal: SideAsked & Pick<Signal, 'orderId'>): string {
  const { action, targetPosition, orderId } = signal
  if (targetPosition == null || orderId !== null)
    return `${isOpening(action) ? 'opens' : 'closes'} a ${action.endsWith('Long') ? 'long' : 'short'} position`
  return targetPosition === 0
    ? 'leads to no position'
    : `leads to a ${sideOpened(signal).toLowerCase()} position`
}

/**
 * "Sells 20, then sells 20 short": the orders of a target on the other side; the second without its shares while
 * unknown.
 */
export const legsWords = (
  order: { side: OrderSide; quantity: number },
  follows: { side: OrderSide; quantity: number | null },
): string =>
  `${thirdPerson(order.side, order.quantity)}, then ${thirdPerson(follows.side, follows.quantity).toLowerCase()}`

function thirdPerson(side: OrderSide, quantity: number | null): string {
  const much = quantity === null ? '' : ` ${shares(quantity)}`
  return {
    BUY: `Buys${much}`,
    SELL: `Sells${much}`,
    SELL_SHORT: `Sells${much} short`,
    BUY_TO_COVER: `Buys${much} to cover`,
  }[side]
}
/** "time in force: Day" */
export const lifetime = ({ timeInForce }: Pick<Signal, 'timeInForce'>): string =>
  `time in force: ${LIFETIMES[timeInForce]}`

/** Size as requested: "10", "5 % of equity in", "$1,000.00 of". */
export function amount({ quantity, quantityType }: Pick<Signal, 'quantity' | 'quantityType'>): string {
  switch (quantityType) {
    case 'fixed':
      return number(quantity)
    case 'percentEquity':
      return `${number(quantity)} % of equity in`
    case 'dollarAmount':
      return `${money(quantity)} of`
    case 'riskPercent':
      return `${number(quantity)} % of equity at risk in`
    case 'riskDollars':
      return `${money(quantity)} at risk in`
    case 'percentPosition':
      return quantity === 100 ? 'all of' : `${number(quantity)} % of`
  }
}

/** Whether the order depends on the position at the time of sending. */
export const isByPosition = ({ targetPosition, wish }: Pick<Signal, 'targetPosition' | 'wish'>): boolean =>
  targetPosition !== null || wish !== null

/** A signal in short: "Buy 10 AAPL"; "Target -10 AAPL" or "Close AAPL" while its order is unknown. */
export function headline(signal: Signal): string {
  const { symbol, targetPosition, wish, orderId, origin } = signal
  if (origin === 'adopted') return `Protect ${amount(signal)} ${symbol} held already`
  if (orderId === null && wish !== null) return wish
  return targetPosition === null || orderId !== null
    ? `${verb(signal)} ${amount(signal)} ${symbol}`
    : `Target ${number(targetPosition)} ${symbol}`
}
/** A signal in full: "Buy 10 AAPL at market". */
export const sentence = (signal: Signal): string => `${headline(signal)} ${priceWords(signal)}`

/** Result of a filled order: "Bought 10 AAPL at $187.40". */
export const filledSentence = (signal: Signal): string =>
  `${SIDE_DONE[ENTRY_SIDE[signal.action]]} ${shares(signal.filledQuantity)} ${signal.symbol}` +
  (signal.avgFillPrice === null ? '' : ` at ${money(signal.avgFillPrice)}`)

/** The exit in words; null without one. */
export function exitSchedule({
  exitRule,
  ...signal
}: Pick<Signal, 'exitRule'> & SideAsked): { what: string; when: string } | null {
  if (exitRule === null) return null
  const { orderType } = exitRule
  const order = orderType === 'moc' ? 'in the closing auction' : priceWords({ ...exitRule, orderType })
  const what = `${sideOpened(signal) === 'SHORT' ? 'Buy to cover what was sold' : 'Sell what was bought'}, ${order}`
  const { triggerType, triggerMinutes: minutes, triggerTime } = exitRule
  return { what, when: TRIGGER[triggerType].when({ minutes, clockTime: `${triggerTime} New York` }) }
}

/** Mode whose accent an account has; undefined, and so the page's, while it is unknown. */
export const modeOf = (account: Account | undefined): 'live' | 'paper' | undefined =>
  account && (isRealMoney(account) ? 'live' : 'paper')

/** Whether an account has real money, as an unknown account does. */
export const isRealMoney = (account: Account | undefined): boolean => account?.isDemo !== true
