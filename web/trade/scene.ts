import { actionOfAsk } from '#domain/signal/by-hand.ts'
import { hasLimitPrice, hasStopPrice, isReducing, SIDE_VERBS } from '#domain/order/order.ts'
import { ENTRY_SIDE, isOpening } from '#domain/signal/signal.ts'
import { plainNumber } from '../parts/amount.ts'
import { number, partOf } from '../words/figures.ts'
import { priceWords } from '../words/order.ts'
import { amount as amountWords } from '../words/signal.ts'
import type { Draft } from './draft.ts'
import type { Action, OrderDetail, Quote } from './requests.ts'

const figureIn = (text: string): number => Number(plainNumber(text))

export interface Scene {
  /** Shares held, below 0 for a short position; null until the positions are read. */
  held: number | null
  quote: Quote | undefined
  /** Dollars; null while unknown. */
  buyingPower: number | null
}

const ACTIONS = {
  BUY: { open: 'openLong', close: 'closeShort' },
  SELL: { open: 'openShort', close: 'closeLong' },
} as const satisfies Record<Draft['side'], Record<'open' | 'close', Action>>

/** Action of a buy or sell: as the draft says, or as the held shares imply. */
export function actionOf({ side, effect }: Pick<Draft, 'side' | 'effect'>, held: number | null): Action {
  if (effect !== '') return ACTIONS[side][effect]
  // Before the position is known only the name is shown: nothing is sent.
  if (held === null) return side === 'BUY' ? 'openLong' : 'closeLong'
  return actionOfAsk({ side, reducesOnly: false }, held === 0 ? null : held > 0 ? 'LONG' : 'SHORT')
}

export const hasTarget = ({ targetPosition }: Draft): boolean => targetPosition.trim() !== ''

const PLAIN_FIGURE = /^-?\d+(\.\d+)?$/

export const leavesPosition = (draft: Draft, held: number | null): boolean =>
  PLAIN_FIGURE.test(plainNumber(draft.targetPosition))
    ? figureIn(draft.targetPosition) !== 0
    : isOpening(actionOf(draft, held))

/** "Buy", "Sell", "Sell short", "Buy to cover"; "Trade" towards a target. */
export const verbOf = (draft: Draft, held: number | null): string =>
  hasTarget(draft) ? 'Trade' : SIDE_VERBS[ENTRY_SIDE[actionOf(draft, held)]]

/** Dollars a share: the draft's price, or the market's; null if unknown. */
export function priceOf(draft: Draft, quote: Quote | undefined): number | null {
  const { side, orderType } = draft
  const own = hasLimitPrice(orderType) ? draft.limitPrice : hasStopPrice(orderType) ? draft.stopPrice : null
  if (own !== null) return figureIn(own) > 0 ? figureIn(own) : null
  return (side === 'BUY' ? quote?.ask : quote?.bid) ?? quote?.last ?? null
}

/** Shares of the draft; NaN if the service sizes it, or none are given. */
export const sharesOf = ({ quantity, quantityType }: Draft): number =>
  quantityType === 'fixed' && quantity.trim() !== '' ? figureIn(quantity) : Number.NaN

/** Part of the buying power that is used: the price may move before the order arrives. */
const USABLE = 0.98

/**
 * Shares for a part of the position when closing, or of the buying power when opening; whole if whole ones are held.
 * Null while unknown, or for none.
 */
export function sharesOfPart(part: number, draft: Draft, { held, quote, buyingPower }: Scene): string | null {
  if (held === null) return null
  if (!isOpening(actionOf(draft, held))) return held === 0 ? null : partOf(part, Math.abs(held))
  const price = priceOf(draft, quote)
  if (price === null || buyingPower === null) return null
  const shares = Math.floor((buyingPower * part * USABLE) / price)
  return shares > 0 ? String(shares) : null
}

/** Percent beyond the market from which a limit shows a warning: it may be a typing error. */
const FAR_LIMIT_PERCENT = 5

/**
 * Warning about a limit far beyond the market, which fills at once; null for none. A stop limit order meets a later
 * market.
 */
export function limitWarning(draft: Draft, quote: Quote | undefined): string | null {
  const { side, orderType, limitPrice } = draft
  const limit = figureIn(limitPrice)
  if (orderType !== 'limit' || !(limit > 0) || hasTarget(draft)) return null
  const isBuy = side === 'BUY'
  const prices = [isBuy ? quote?.ask : quote?.bid, quote?.last].filter((price) => price != null)
  const beyond = prices.map((price) => (isBuy ? limit / price - 1 : 1 - limit / price) * 100)
  const percent = Math.max(...beyond)
  return percent >= FAR_LIMIT_PERCENT - 1e-9
    ? `The limit is ${number(Math.round(percent * 100) / 100)} % ${isBuy ? 'above' : 'below'} the market: it fills at once, and may fill at any price up to the limit.`
    : null
}

/**
 * Whether the cancellation frees the money that the new order lacks: the remaining shares, at its price or the last
 * one.
 *
 * @param order the order that is cancelled first
 */
export function isPaidByCancel(
  order: OrderDetail,
  quote: Quote | undefined,
  { cost, buyingPower }: { cost: number | null; buyingPower: number | null },
): boolean {
  if (isReducing(order.side) || cost === null || buyingPower === null) return false
  const price = order.limitPrice ?? order.stopPrice ?? quote?.last ?? 0
  return cost <= buyingPower + (order.quantity - order.filledQuantity) * price
}

/**
 * "Sell short 5 TSLA at market"; "Buy 5 % of equity in TSLA at market" before a size is known; "Target -5 TSLA".
 *
 * @param shares NaN while unknown
 */
export function sentenceOf(draft: Draft, held: number | null, shares: number): string {
  const { quantity, quantityType, orderType, limitPrice, stopPrice } = draft
  const symbol = draft.symbol.trim().toUpperCase()
  const priced = priceWords({ orderType, limitPrice: figureIn(limitPrice), stopPrice: figureIn(stopPrice) })
  if (hasTarget(draft)) return `Target ${draft.targetPosition.trim()} ${symbol} ${priced}`
  const size = Number.isNaN(shares)
    ? amountWords({ quantity: figureIn(quantity), quantityType })
    : number(shares)
  return `${verbOf(draft, held)} ${size} ${symbol} ${priced}`
}

const standing = (shares: number): string =>
  shares === 0 ? 'nothing' : `${number(Math.abs(shares))} ${shares > 0 ? 'long' : 'short'}`

/** The position before and after: "26 long → 16 long"; an opened short position is mentioned. */
export function effectOf(before: number, after: number): string {
  const change = `${standing(before)} → ${standing(after)}`
  if (after < 0 && before >= 0) return `${change}: it opens a short position`
  return after === 0 ? `${change}: the position is closed` : change
}
