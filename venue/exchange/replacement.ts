import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { compare, subtract, type Decimal } from '#domain/money/decimal.ts'
import { findAsset } from '../assets.ts'
import type { VenueOrder } from '../ledger/orders.ts'
import { reject } from '../rejection.ts'
import { admit, checkWashTrade } from './account-rules.ts'
import { checkSides } from './levels.ts'
import { UNTOUCHED, type Applicant, type DeskParts } from './order-desk.ts'
import { otherLevel } from './order-group.ts'
import { amount, clientOrderId } from './order-ticket.ts'
import { placementOf } from './placement.ts'
import { checkPrices, checkTimeInForce } from './ticket-rules.ts'
import { trailingStopAt } from './trailing.ts'

const changes = z.object({
  qty: amount('qty'),
  time_in_force: z.enum(['day', 'gtc', 'opg', 'cls', 'ioc', 'fok'], 'invalid time_in_force').nullish(),
  limit_price: amount('limit_price'),
  stop_price: amount('stop_price'),
  trail: amount('trail'),
  client_order_id: clientOrderId,
})

/** Replacement with the whole quantity, filled part included; the caller stores both. Throws a Rejection. */
export function replacementOf(
  { market, hours }: DeskParts,
  { order, group }: { order: VenueOrder; group: readonly VenueOrder[] },
  body: unknown,
  applicant: Applicant,
  now: number,
): VenueOrder {
  checkState(order)
  const read = changes.safeParse(body)
  if (!read.success) throw reject.invalidParameter(read.error.issues[0]?.message ?? 'invalid order')
  const { client_order_id: wantedId, trail, ...wanted } = read.data
  if (wantedId && applicant.isTaken(wantedId)) {
    throw reject.invalidParameter('client_order_id must be unique')
  }
  checkFields(order, { ...wanted, trail })
  const changed = {
    qty: wanted.qty ?? order.qty,
    timeInForce: wanted.time_in_force ?? order.timeInForce,
    limitPrice: wanted.limit_price ?? order.limitPrice,
    stopPrice: wanted.stop_price ?? order.stopPrice,
    trailPrice: order.trailPrice && (trail ?? order.trailPrice),
    trailPercent: order.trailPercent && (trail ?? order.trailPercent),
  }
  if (Object.entries(changed).every(([name, value]) => value === order[name as keyof VenueOrder])) {
    throw reject.unprocessable('order parameters are not changed')
  }
  if (changed.qty !== null && compare(changed.qty, order.filledQty) <= 0) {
    throw reject.unprocessable('qty must be > filled_qty')
  }
  const moved = { ...order, ...changed }
  checkPrices(order.type === 'trailing_stop' ? { ...moved, stopPrice: null } : moved)
  checkTimeInForce(moved)
  checkOtherLevel(moved, group)
  const others = applicant.workingOrders.filter(({ id }) => {
    return id !== order.id && group.every((member) => member.id !== id)
  })
  const reservePrice = recheck(moved, { ...applicant, workingOrders: others }, (symbol) =>
    market.quote(symbol, now),
  )
  const placement = placementOf(moved, hours, now)
  const hasNewTime = changed.timeInForce !== order.timeInForce
  return {
    ...moved,
    id: randomUUID(),
    clientOrderId: wantedId || randomUUID(),
    senderOrderId: order.senderOrderId ?? order.clientOrderId,
    replaces: order.id,
    stopPrice: order.hwm === null ? moved.stopPrice : trailingStopAt(moved, order.hwm),
    reservePrice,
    status: order.status === 'held' ? 'held' : placement.activeAt <= now ? 'pending_new' : 'accepted',
    activeAt: placement.activeAt,
    expiresAt: hasNewTime ? placement.expiresAt : order.expiresAt,
    // The exchange has accepted the replaced order.
    rejectAt: null,
    triggeredAt: changed.stopPrice === order.stopPrice ? order.triggeredAt : UNTOUCHED.triggeredAt,
    createdAt: now,
    updatedAt: now,
  }
}

/** Throws a Rejection unless the market has the order without another request. */
function checkState({ status, closedAt }: VenueOrder): void {
  if (status === 'replaced') throw reject.unprocessable('order already replaced')
  if (closedAt !== null) throw reject.unprocessable('unable to replace order, order is not open')
  if (status === 'accepted' || status === 'pending_new') throw reject.notSentYet()
  if (status === 'pending_cancel' || status === 'pending_replace') {
    throw reject.unprocessable(`cannot replace order in ${status} status`)
  }
}

interface Wanted {
  qty: Decimal | null
  time_in_force?: string | null | undefined
  limit_price: Decimal | null
  stop_price: Decimal | null
  trail: Decimal | null
}

function checkFields(order: VenueOrder, wanted: Wanted): void {
  const refuse = (name: string) => {
    throw reject.unprocessable(`${order.type} orders must not have ${name}`)
  }
  const { type } = order
  if (order.notional !== null) throw reject.unprocessable('notional orders cannot be replaced')
  if (wanted.limit_price !== null && type !== 'limit' && type !== 'stop_limit') refuse('limit_price')
  if (wanted.stop_price !== null && type !== 'stop' && type !== 'stop_limit') refuse('stop_price')
  if (wanted.trail !== null && type !== 'trailing_stop') refuse('trail')
  if (order.groupId === null) return
  if (wanted.qty !== null && wanted.qty !== order.qty)
    throw reject.unprocessable('qty cannot be changed for advanced orders')
  if (wanted.time_in_force && wanted.time_in_force !== order.timeInForce)
    throw reject.unprocessable('time_in_force cannot be changed for advanced orders')
}

function checkOtherLevel(moved: VenueOrder, group: readonly VenueOrder[]): void {
  const other = otherLevel(moved, group)
  if (!other) return
  const [takeProfit, stopLoss] = moved.role === 'takeProfit' ? [moved, other] : [other, moved]
  checkSides(moved.side, takeProfit.limitPrice, stopLoss.stopPrice)
}

/** Dollars a share of buying power. Throws a Rejection. */
function recheck(
  moved: VenueOrder,
  applicant: Applicant,
  quoteOf: Parameters<typeof admit>[2]['quoteOf'],
): Decimal | null {
  // Levels whose position is not open, or whose shares are reserved.
  if (moved.waitsFor !== null || moved.role === 'takeProfit' || moved.role === 'stopLoss') {
    checkWashTrade({ ...moved, orderClass: '', stopLoss: null }, applicant.workingOrders)
    return moved.reservePrice
  }
  const open = moved.qty === null ? null : subtract(moved.qty, moved.filledQty)
  const ticket = { ...moved, qty: open, orderClass: '', takeProfit: null, stopLoss: null } as const
  return admit(ticket, findAsset(moved.symbol)!, { ...applicant, quoteOf }).reservePrice
}
