import { compare, isZero, magnitude, multiply, subtract, type Decimal } from '#domain/money/decimal.ts'
import type { Asset } from '../assets.ts'
import type { VenueAccount } from '../ledger/accounts.ts'
import type { VenuePosition } from '../ledger/executions.ts'
import type { PositionIntent, VenueOrder } from '../ledger/orders.ts'
import type { Quote } from '../prices.ts'
import { reject } from '../rejection.ts'
import { balancesOf, heldForOrders } from './margin.ts'
import { washTradeReason } from './matching.ts'
import { checkBasePrice } from './levels.ts'
import { LEAST_VALUE } from './order-ticket.ts'
import { isFractional, type OrderTicket } from './ticket-rules.ts'

export interface AccountView {
  account: VenueAccount
  positions: readonly VenuePosition[]
  workingOrders: readonly VenueOrder[]
  quoteOf: (symbol: string) => Quote
}

/** Factor of the ask that a short reserves. */
const SHORT_CUSHION = '1.03'

/** Throws a Rejection by the account's rules. reservePrice: dollars a share; null for a closing order. */
export function admit(
  ticket: OrderTicket,
  asset: Asset,
  view: AccountView,
): { positionIntent: PositionIntent; reservePrice: Decimal | null } {
  const position = view.positions.find(({ symbol }) => symbol === ticket.symbol) ?? null
  const positionIntent = intentOf(ticket, position)
  checkConfiguration(view.account, isFractional(ticket))
  checkAsset(ticket, asset)
  checkClass(ticket, positionIntent)
  checkWashTrade(ticket, view.workingOrders)
  checkBasePrice(ticket, view.quoteOf(ticket.symbol).last)
  if (positionIntent.endsWith('_to_close')) {
    checkQuantity(ticket, position, view)
    return { positionIntent, reservePrice: null }
  }
  if (positionIntent === 'sell_to_open') checkShort(ticket, asset, view.account)
  const reservePrice = reservePriceOf(ticket, view.quoteOf(ticket.symbol))
  checkLeastValue(ticket, reservePrice)
  checkBuyingPower(ticket, reservePrice, view)
  return { positionIntent, reservePrice }
}

function intentOf(ticket: OrderTicket, position: VenuePosition | null): PositionIntent {
  const direction = position === null ? 0 : compare(position.qty, '0')
  const closes = ticket.side === 'sell' ? direction > 0 : direction < 0
  const inferred: PositionIntent = `${ticket.side}_to_${closes ? 'close' : 'open'}`
  if (ticket.positionIntent !== null && ticket.positionIntent !== inferred) {
    throw reject.unprocessable(
      `position intent mismatch, inferred: ${inferred}, specified: ${ticket.positionIntent}`,
    )
  }
  return inferred
}

function checkConfiguration({ configuration }: VenueAccount, isFractionalOrder: boolean): void {
  if (configuration.suspend_trade) throw reject.accountMayNot('new orders are rejected by user request')
  if (isFractionalOrder && !configuration.fractional_trading)
    throw reject.accountMayNot('account is not allowed to trade fractional shares')
}

function checkAsset(ticket: OrderTicket, asset: Asset): void {
  if (!asset.isTradable) throw reject.unprocessable(`asset ${asset.symbol} is not tradable`)
  if (isFractional(ticket) && !asset.isFractionable) {
    throw reject.unprocessable(`asset "${asset.symbol}" is not fractionable`)
  }
}

/** Throws a Rejection unless a bracket opens and an oco closes a position. */
function checkClass({ orderClass }: OrderTicket, positionIntent: PositionIntent): void {
  const closes = positionIntent.endsWith('_to_close')
  if (orderClass === 'oco' && !closes) throw reject.unprocessable('oco orders must be exit orders')
  if ((orderClass === 'bracket' || orderClass === 'oto') && closes) {
    throw reject.unprocessable(`${orderClass} orders must be entry orders`)
  }
}

export function checkWashTrade(
  ticket: Pick<
    OrderTicket,
    'symbol' | 'side' | 'type' | 'limitPrice' | 'stopPrice' | 'orderClass' | 'stopLoss'
  >,
  workingOrders: readonly VenueOrder[],
): void {
  const ways = [ticket]
  if (ticket.orderClass === 'oco') ways.push({ ...ticket, type: 'stop', ...ticket.stopLoss! })
  for (const existing of workingOrders) {
    if (existing.symbol !== ticket.symbol || existing.side === ticket.side) continue
    if (existing.waitsFor === 'entry') continue
    for (const way of ways) {
      const reason = washTradeReason({ ...way, triggeredAt: null }, existing)
      if (reason !== null) throw reject.washTrade(existing.id, reason)
    }
  }
}

function checkQuantity(ticket: OrderTicket, position: VenuePosition | null, view: AccountView): void {
  const existing = position === null ? '0' : magnitude(position.qty)
  const { held, orderIds } = heldForOrders(ticket.symbol, view.workingOrders)
  const available = subtract(existing, held)
  const { bid, ask } = view.quoteOf(ticket.symbol)
  const exceeds =
    ticket.qty !== null
      ? compare(ticket.qty, available) > 0
      : compare(ticket.notional!, multiply(available, ticket.side === 'sell' ? bid : ask)) > 0
  if (!exceeds) return
  throw reject.insufficientQuantity(ticket.symbol, ticket.qty ?? `${ticket.notional} dollars`, {
    existing,
    available,
    heldForOrders: held,
    orderIds,
  })
}

function checkShort(ticket: OrderTicket, asset: Asset, account: VenueAccount): void {
  if (account.type === 'cash' || account.configuration.no_shorting)
    throw reject.accountMayNot('account is not allowed to short')
  if (isFractional(ticket)) throw reject.unprocessable('fractional orders cannot be sold short')
  if (!asset.isShortable) throw reject.unprocessable(`asset "${asset.symbol}" cannot be sold short`)
}

function checkLeastValue(ticket: OrderTicket, reservePrice: Decimal): void {
  if (ticket.qty === null || !isFractional(ticket)) return
  if (compare(multiply(ticket.qty, reservePrice), LEAST_VALUE) < 0) throw reject.belowLeastValue(LEAST_VALUE)
}

function checkBuyingPower(ticket: OrderTicket, reservePrice: Decimal, view: AccountView): void {
  const { buyingPower } = balancesOf(
    view.account,
    view.positions,
    view.workingOrders,
    (symbol) => view.quoteOf(symbol).last,
  )
  const cost = ticket.notional ?? multiply(ticket.qty!, reservePrice)
  if (compare(cost, buyingPower) > 0 || isZero(buyingPower)) {
    throw reject.insufficientBuyingPower(buyingPower, cost)
  }
}

function reservePriceOf(ticket: OrderTicket, { ask }: Quote): Decimal {
  const named = ticket.limitPrice ?? ticket.stopPrice
  if (ticket.side === 'buy') return named ?? ask
  const cushioned = multiply(ask, SHORT_CUSHION)
  return ticket.limitPrice !== null && compare(ticket.limitPrice, cushioned) > 0
    ? ticket.limitPrice
    : cushioned
}
