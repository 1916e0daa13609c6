import { FRACTION_PLACES } from '#domain/order/broker-rules.ts'
import { decimalPlaces, divideDown, isZero, multiply, smaller, type Decimal } from '#domain/money/decimal.ts'
import { NO_CONDUCT, type OrderConduct, type GroupRole, type VenueOrder } from '../ledger/orders.ts'
import type { FaultTarget } from '../faults/rule.ts'
import type { FaultScript } from '../faults/script.ts'
import { randomUUID } from 'node:crypto'
import { findAsset } from '../assets.ts'
import type { VenueAccount } from '../ledger/accounts.ts'
import { reject } from '../rejection.ts'
import type { MarketHours } from '../market-hours.ts'
import type { Market } from '../market.ts'
import { admit, type AccountView } from './account-rules.ts'
import { exitSideOf } from './levels.ts'
import { readOrderTicket } from './order-ticket.ts'
import { placementOf } from './placement.ts'
import type { OrderTicket } from './ticket-rules.ts'
import { trailingStopAt } from './trailing.ts'

/** `qty` is null for an order in dollars, which is never split. */
function conductOf(faults: FaultScript, target: FaultTarget, qty: Decimal | null, now: number): OrderConduct {
  if (faults.isEmpty) return NO_CONDUCT
  const lag = faults.drawConduct(['lag'], target)
  const delay = faults.drawConduct(['delay'], target)
  const partial = qty === null ? null : faults.drawConduct(['partial'], target)
  const reject = faults.drawConduct(['reject'], target)
  return {
    ...NO_CONDUCT,
    lookupFrom: lag && now + lag.lagMs,
    fillableFrom: delay && now + delay.delayMs,
    firstFillQty: partial && partOf(qty!, partial.fraction),
    heldUntil: partial?.holdMs === undefined ? null : now + partial.holdMs,
    rejectAt: reject && now + reject.delayMs,
    rejectReason: reject && reject.reason,
  }
}

function partOf(qty: Decimal, fraction: number): Decimal {
  const part = divideDown(multiply(qty, `${fraction}`), '1', decimalPlaces(qty) === 0 ? 0 : FRACTION_PLACES)
  return isZero(part) ? smaller('1', qty) : part
}

export interface DeskParts {
  market: Market
  hours: MarketHours
  faults: FaultScript
}

export type Applicant = Omit<AccountView, 'quoteOf'> & {
  account: VenueAccount
  isTaken: (clientOrderId: string) => boolean
}

/** Parent first; the caller stores the orders. Throws a Rejection. */
export function takeOrder(parts: DeskParts, body: unknown, applicant: Applicant, now: number): VenueOrder[] {
  const { market, hours, faults } = parts
  const ticket = readOrderTicket(body)
  const clientOrderId = ticket.clientOrderId ?? randomUUID()
  if (applicant.isTaken(clientOrderId)) throw reject.invalidParameter('client_order_id must be unique')
  const asset = findAsset(ticket.symbol)
  if (!asset) throw reject.unlisted(ticket.symbol)
  const quoteOf = (symbol: string) => market.quote(symbol, now)
  const admission = admit(ticket, asset, { ...applicant, quoteOf })
  const placement = placementOf(ticket, hours, now)
  const isActive = placement.activeAt <= now
  const { takeProfit, stopLoss, ...terms } = ticket
  const conduct = () =>
    conductOf(
      faults,
      { account: applicant.account.keyId, symbol: ticket.symbol, clientOrderId },
      ticket.qty,
      now,
    )
  const hwm = ticket.type === 'trailing_stop' && isActive ? quoteOf(ticket.symbol).last : null
  const parent: VenueOrder = {
    ...UNTOUCHED,
    ...terms,
    ...admission,
    ...placement,
    id: randomUUID(),
    accountId: applicant.account.id,
    clientOrderId,
    groupId: ticket.orderClass === '' ? null : randomUUID(),
    role: ticket.orderClass === '' ? null : ticket.orderClass === 'oco' ? 'takeProfit' : 'entry',
    hwm,
    stopPrice: hwm === null ? ticket.stopPrice : trailingStopAt(ticket, hwm),
    status: isActive ? 'pending_new' : 'accepted',
    createdAt: now,
    updatedAt: now,
    ...conduct(),
  }
  return [parent, ...levelsOf(ticket, parent).map((level) => ({ ...level, ...conduct() }))]
}

function levelsOf(ticket: OrderTicket, parent: VenueOrder): VenueOrder[] {
  if (ticket.orderClass === '') return []
  const side = exitSideOf(ticket)
  const isOco = ticket.orderClass === 'oco'
  const level = (
    role: GroupRole,
    prices: Pick<VenueOrder, 'type' | 'limitPrice' | 'stopPrice'>,
  ): VenueOrder => ({
    ...parent,
    ...prices,
    role,
    side,
    positionIntent: `${side}_to_close`,
    reservePrice: null,
    id: randomUUID(),
    clientOrderId: randomUUID(),
    senderOrderId: parent.clientOrderId,
    status: 'held',
    waitsFor: isOco ? 'trigger' : 'entry',
  })
  const levels: VenueOrder[] = []
  if (!isOco && ticket.takeProfit !== null) {
    levels.push(level('takeProfit', { type: 'limit', limitPrice: ticket.takeProfit, stopPrice: null }))
  }
  if (ticket.stopLoss !== null) {
    const type = ticket.stopLoss.limitPrice === null ? 'stop' : 'stop_limit'
    levels.push(level('stopLoss', { type, ...ticket.stopLoss }))
  }
  return levels
}

export const UNTOUCHED = {
  ...NO_CONDUCT,
  replaces: null,
  senderOrderId: null,
  hwm: null,
  waitsFor: null,
  filledQty: '0',
  filledValue: '0',
  filledAt: null,
  expiredAt: null,
  canceledAt: null,
  failedAt: null,
  replacedAt: null,
  replacedBy: null,
  closedAt: null,
  triggeredAt: null,
} as const satisfies Partial<VenueOrder>
