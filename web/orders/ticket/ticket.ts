import type { OrderDetail, Quote, Routes } from '#client/types.ts'
import { actionOfAsk } from '#domain/by-hand.ts'
import { hasLimitPrice, hasStopPrice, isReducing, SIDE_VERBS } from '#domain/order.ts'
import { ENTRY_SIDE, isOpening } from '#domain/signal.ts'
import {
  bodyOf,
  emptyDraft,
  newSourceId,
  type Body,
  type Draft,
  type QuantityType,
} from '../../signals/draft.ts'
import { plainNumber } from '../../parts/amount.ts'
import { protectionIn } from '../../protection/draft.ts'
import type { ProtectionTerms } from '../../protection/terms.ts'
import { money, number, partOf } from '../../words/figures.ts'
import { amount as amountWords } from '../../words/signal.ts'

/** The body of POST /orders. */
type Wish = Routes['POST /api/v1/orders']['request'][0]['body']

export type Side = 'BUY' | 'SELL'

/** How the size of a ticket is said: in shares, in dollars that are counted as shares here, or as a signal says it. */
export type Unit =
  'shares' | 'dollars' | Extract<QuantityType, 'percentEquity' | 'riskPercent' | 'riskDollars'>

/** The units of which the shares are known before the service has sized the order. */
const isCounted = (unit: Unit): unit is 'shares' | 'dollars' => unit === 'shares' || unit === 'dollars'

/** An order as a person fills it in. */
export interface Ticket {
  side: Side
  amount: string
  unit: Unit
  /** All but side and size: it is also the signal that the ticket becomes when it says what an order cannot. */
  draft: Draft
}

/** The facts by which a ticket is read. */
export interface Scene {
  /** Shares held, below 0 for a short position; null until the positions are read. */
  held: number | null
  quote: Quote | undefined
  /** The quote by which dollars are counted as shares: it stays while they do, so that the shares do not change with each price. */
  countedAt: Quote | undefined
  /** Dollars; null while it is not known. */
  buyingPower: number | null
}

export const emptyTicket = (start: Partial<Pick<Draft, 'symbol' | 'accountId'>>): Ticket => ({
  side: 'BUY',
  amount: '',
  unit: 'shares',
  draft: { ...emptyDraft(newSourceId()), ...start },
})

const ORDER_TYPES = {
  MARKET: 'market',
  LIMIT: 'limit',
  STOP: 'stop',
  STOP_LIMIT: 'stopLimit',
  // Orders of exit plans, which are changed by their plan; as a ticket alone they are these.
  OCO: 'limit',
  TRAILING_STOP: 'stop',
} as const

/** A ticket with the values of an order that works, for as many shares as it has left. */
export const ticketOf = (order: OrderDetail): Ticket => ({
  side: order.side === 'BUY' || order.side === 'BUY_TO_COVER' ? 'BUY' : 'SELL',
  amount: String(order.quantity - order.filledQuantity),
  unit: 'shares',
  draft: {
    ...emptyDraft(newSourceId()),
    symbol: order.symbol,
    accountId: order.accountId,
    orderType: ORDER_TYPES[order.orderType],
    limitPrice: order.limitPrice === null ? '' : String(order.limitPrice),
    stopPrice: order.stopPrice === null ? '' : String(order.stopPrice),
    timeInForce: order.timeInForce.toLowerCase() as Draft['timeInForce'],
    extendedHours: order.extendedHours,
  },
})

/** What buying or selling does to what is held. */
export const actionOf = (side: Side, held: number | null): Draft['action'] =>
  // Of what is not known yet the name alone is shown: nothing is sent before it is.
  held === null
    ? side === 'BUY'
      ? 'openLong'
      : 'closeLong'
    : actionOfAsk({ side, reducesOnly: false }, held === 0 ? null : held > 0 ? 'LONG' : 'SHORT')

/** "Buy", "Sell", "Sell short", "Buy to cover". */
export const verbOf = (side: Side, held: number | null): string =>
  SIDE_VERBS[ENTRY_SIDE[actionOf(side, held)]]

/** Dollars a share at which the ticket is reckoned: its own price, or what the market gives it; null when neither is known. */
export function priceOf({ side, draft }: Ticket, quote: Quote | undefined): number | null {
  const own = hasLimitPrice(draft.orderType)
    ? draft.limitPrice
    : hasStopPrice(draft.orderType)
      ? draft.stopPrice
      : null
  if (own !== null) return Number(plainNumber(own)) > 0 ? Number(plainNumber(own)) : null
  return (side === 'BUY' ? quote?.ask : quote?.bid) ?? quote?.last ?? null
}

/** The shares that the ticket is for, as text; dollars are as many whole shares as they pay. Empty while that is not known. */
export function sharesOf(ticket: Ticket, { countedAt }: Pick<Scene, 'countedAt'>): string {
  const written = plainNumber(ticket.amount)
  if (ticket.unit === 'shares') return written
  if (ticket.unit !== 'dollars') return ''
  const price = priceOf(ticket, countedAt)
  const whole = price === null ? 0 : Math.floor(Number(written) / price)
  return whole > 0 ? String(whole) : ''
}

/** Share of the buying power that the whole of it stands for: the price may move before the order arrives. */
const USABLE = 0.98

/**
 * A part of what is held for a ticket that closes, or of what the buying power pays for one that opens; in shares, whole ones
 * where whole ones are held. Null while that is not known, or comes to nothing.
 */
export function sharesOfPart(
  part: number,
  ticket: Ticket,
  { held, quote, buyingPower }: Scene,
): string | null {
  if (held === null) return null
  if (!isOpening(actionOf(ticket.side, held))) return partOf(part, Math.abs(held))
  const price = priceOf(ticket, quote)
  if (price === null || buyingPower === null) return null
  const shares = Math.floor((buyingPower * part * USABLE) / price)
  return shares > 0 ? String(shares) : null
}

/** Percent through the market from which on a limit is worth a word: it may be a slip of the hand. */
const FAR_LIMIT_PERCENT = 5

/**
 * That a limit lies far on the side of the market where it fills at once; null where it does not.
 *
 * @param limit dollars a share
 */
function farLimit(isBuy: boolean, limit: number, quote: Quote | undefined): string | null {
  const prices = [isBuy ? quote?.ask : quote?.bid, quote?.last].filter((price) => price != null)
  const beyond = prices.map((price) => (isBuy ? limit / price - 1 : 1 - limit / price) * 100)
  const percent = Math.max(...beyond)
  return limit > 0 && percent >= FAR_LIMIT_PERCENT - 1e-9
    ? `The limit is ${number(Math.round(percent * 100) / 100)} % ${isBuy ? 'above' : 'below'} the market: it fills at once, and may fill at any price up to the limit.`
    : null
}

/** {@link farLimit} of a ticket. A stop limit order meets another market than that of now. */
export const limitWarning = ({ side, draft }: Ticket, quote: Quote | undefined): string | null =>
  draft.orderType === 'limit' ? farLimit(side === 'BUY', Number(plainNumber(draft.limitPrice)), quote) : null

/** The middle between bid and ask, to the cent; null where one of them is not known. */
export const middleOf = (quote: Quote | undefined): number | null =>
  quote?.bid == null || quote.ask === null ? null : Math.round((quote.bid + quote.ask) * 50) / 100

/** What a ticket is sent as: a manual order, or a signal where it says what an order cannot. */
export type Sent = { as: 'order'; body: Wish } | { as: 'signal'; body: Body }

/** What of a signal an order by hand says as well. A ticket that says anything else is sent as a signal, so that no field is lost. */
const IN_AN_ORDER = {
  symbol: true,
  action: true,
  accountId: true,
  quantity: true,
  executeMode: true,
  orderType: true,
  limitPrice: true,
  stopPrice: true,
  timeInForce: true,
  extendedHours: true,
  // Its key.
  sourceId: true,
} as const satisfies Partial<Record<keyof Body, true>>

const isInAnOrder = (field: string): boolean => Object.hasOwn(IN_AN_ORDER, field)

export function sentOf(ticket: Ticket, scene: Scene): Sent {
  const { side, unit, draft } = ticket
  const action = actionOf(side, scene.held)
  const opens = isOpening(action)
  const body = bodyOf({
    ...draft,
    action,
    ...(isCounted(unit)
      ? { quantity: sharesOf(ticket, scene), quantityType: 'fixed' }
      : { quantity: ticket.amount, quantityType: unit }),
  })
  if (body.executeMode !== 'immediate' || !Object.keys(body).every(isInAnOrder)) return { as: 'signal', body }
  const { accountId, orderType, timeInForce, extendedHours } = draft
  const { symbol, quantity, limitPrice, stopPrice } = body
  return {
    as: 'order',
    body: {
      accountId,
      symbol,
      side,
      orderType: WORDS[orderType],
      quantity,
      ...(limitPrice != null && { limitPrice }),
      ...(stopPrice != null && { stopPrice }),
      timeInForce: timeInForce.toUpperCase(),
      extendedHours,
      reduceOnly: !opens,
    },
  }
}

/** The exit plan that is sent along; null for none. */
export const planOf = (sent: Sent): ProtectionTerms | null =>
  sent.as === 'order' ? null : protectionIn(JSON.stringify(sent.body))

/** Whether anything closes again what a ticket opens. */
export const hasExit = (sent: Sent): boolean =>
  sent.as === 'signal' && (sent.body.exitTriggerType != null || sent.body.protection != null)

const WORDS = { market: 'MARKET', limit: 'LIMIT', stop: 'STOP', stopLimit: 'STOP_LIMIT' } as const

/** What a draft becomes now, or at a time. There it needs no stop: an exit that was begun with one and names none is one at market. */
export const sentWhen = (
  { orderType, stopPrice }: Draft,
  executeMode: Draft['executeMode'],
): Partial<Draft> => ({
  executeMode,
  ...(executeMode === 'scheduled' &&
    orderType === 'stop' &&
    stopPrice.trim() === '' && { orderType: 'market' }),
})

/**
 * Whether the cancel of the order that is changed sets the money free that the new one lacks: what is left of it, at its price or
 * what the market gives.
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

const ASKED_FOR: Readonly<Record<Unit, string>> = {
  shares: 'How many shares?',
  dollars: 'How many dollars?',
  percentEquity: 'How many percent of the equity?',
  riskPercent: 'How many percent of the equity may be lost at the stop?',
  riskDollars: 'How many dollars may be lost at the stop?',
}

/** What there is to fill in before the service can be asked; null when nothing is. */
export function missingIn(ticket: Ticket, scene: Scene): string | null {
  const { draft, amount, unit } = ticket
  if (draft.accountId === '') return 'Connect a broker before you place orders.'
  if (draft.symbol.trim() === '') return 'Name a symbol.'
  if (amount.trim() === '') return ASKED_FOR[unit]
  if (hasStopPrice(draft.orderType) && draft.stopPrice.trim() === '') return 'Name the stop.'
  if (hasLimitPrice(draft.orderType) && draft.limitPrice.trim() === '') return 'Name the limit.'
  if (scene.held === null) return 'The positions are not read yet: what it does to them is not known.'
  if (unit === 'dollars' && priceOf(ticket, scene.countedAt) === null) return 'No price is known yet.'
  if (unit === 'dollars' && sharesOf(ticket, scene) === '') return 'That buys no whole share.'
  return null
}

/** "at market", "limit $187.50". */
function pricedAs({ orderType, limitPrice, stopPrice }: Draft): string {
  const parts = [
    hasStopPrice(orderType) && `stop ${money(Number(plainNumber(stopPrice)))}`,
    hasLimitPrice(orderType) && `limit ${money(Number(plainNumber(limitPrice)))}`,
  ].filter(Boolean)
  return parts.length === 0 ? 'at market' : parts.join(', ')
}

/**
 * "Sell short 5 TSLA at market"; "Buy 5 % of equity in TSLA at market" where the service has not sized it.
 *
 * @param shares not a number while that is not known
 */
export function sentenceOf(
  { side, amount, unit, draft }: Ticket,
  held: number | null,
  shares: number,
): string {
  const size =
    Number.isNaN(shares) && !isCounted(unit)
      ? amountWords({ quantity: Number(plainNumber(amount)), quantityType: unit })
      : number(shares)
  return `${verbOf(side, held)} ${size} ${draft.symbol.trim().toUpperCase()} ${pricedAs(draft)}`
}

const standing = (shares: number): string =>
  shares === 0 ? 'nothing' : `${number(Math.abs(shares))} ${shares > 0 ? 'long' : 'short'}`

/** The position before and after: "26 long → 16 long"; a short position that comes about is named as one. */
export function effectOf(before: number, after: number): string {
  const change = `${standing(before)} → ${standing(after)}`
  if (after < 0 && before >= 0) return `${change}: it opens a short position`
  return after === 0 ? `${change}: the position is closed` : change
}
