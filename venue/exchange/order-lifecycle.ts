import { randomUUID } from 'node:crypto'
import {
  add,
  compare,
  divideDown,
  magnitude,
  multiply,
  negate,
  round,
  smaller,
  subtract,
  type Decimal,
  isZero,
} from '#domain/decimal.ts'
import { FRACTION_PLACES } from '#domain/broker-rules.ts'
import type { AccountStore } from '../ledger/accounts.ts'
import type { ExecutionStore, Fill, VenuePosition } from '../ledger/executions.ts'
import type { OrderStore, VenueOrder } from '../ledger/orders.ts'
import type { MarketHours } from '../market-hours.ts'
import type { Market } from '../market.ts'
import type { Quote } from '../prices.ts'
import { isAuctionOrder, nextStep } from './next-step.ts'
import type { OrderEvent } from './order-event.ts'

/** Decimals kept of an average entry price. */
const AVERAGE_COST_PLACES = 10

/** A signed number of shares and what each cost on average, in dollars. */
interface Holding {
  qty: Decimal
  avgEntryPrice: Decimal
}

/**
 * A holding after shares were bought (positive) or sold (negative) at a price; null when that leaves none.
 * Adding moves the average, taking away keeps it, and what goes through zero starts again at the price.
 */
function holdingAfter(before: Holding | null, signedQty: Decimal, price: Decimal): Holding | null {
  if (!before) return { qty: signedQty, avgEntryPrice: price }
  const qty = add(before.qty, signedQty)
  if (isZero(qty)) return null
  const isAdding = compare(before.qty, '0') === compare(signedQty, '0')
  if (isAdding) {
    const cost = add(multiply(before.qty, before.avgEntryPrice), multiply(signedQty, price))
    return { qty, avgEntryPrice: divideDown(magnitude(cost), magnitude(qty), AVERAGE_COST_PLACES) }
  }
  const goesThroughZero = compare(qty, '0') !== compare(before.qty, '0')
  return { qty, avgEntryPrice: goesThroughZero ? price : before.avgEntryPrice }
}

export interface OrderLifecycleParts {
  accounts: AccountStore
  orders: OrderStore
  executions: ExecutionStore
  market: Market
  hours: MarketHours
  /** Dollars for each share traded. */
  feePerShare: Decimal
}

/** Decimals of a fee, in dollars. */
const FEE_PLACES = 6

/** Carries out what happens to accepted orders, inside a transaction of the caller's. */
export class OrderLifecycle {
  readonly #parts: OrderLifecycleParts

  constructor(parts: OrderLifecycleParts) {
    this.#parts = parts
  }

  /** Lets everything happen to these orders that is due at `now`; adds what happened to `events`. */
  advance(orders: readonly VenueOrder[], now: number, events: OrderEvent[]): void {
    const phase = this.#parts.hours.phaseAt(now)
    for (const order of orders) {
      const before = events.length
      const triggeredBefore = order.triggeredAt
      for (;;) {
        const quote = this.#quoteFor(order, now)
        const step = nextStep(order, now, phase, quote)
        if (step.kind === 'none') break
        if (step.kind === 'fill') this.#fill(order, step.qty, step.price, now, events)
        else if (step.kind === 'trigger') order.triggeredAt = now
        else if (step.kind === 'open') this.#open(order, now, events)
        else if (step.kind === 'cancel') this.end(order, 'canceled', now, events)
        else if (step.kind === 'expire') this.end(order, 'expired', now, events)
        else this.end(order, 'rejected', now, events)
      }
      if (events.length > before || order.triggeredAt !== triggeredBefore) this.#parts.orders.update(order)
    }
  }

  /** An auction has one price, also for a venue that was not running at its instant. */
  #quoteFor(order: VenueOrder, now: number): Quote {
    return this.#parts.market.quote(order.symbol, isAuctionOrder(order) ? order.activeAt : now)
  }

  #open(order: VenueOrder, now: number, events: OrderEvent[]): void {
    order.status = 'new'
    order.updatedAt = now
    events.push({ kind: 'new', order: { ...order }, fill: null, at: now })
  }

  /** Ends an order without a further fill. The caller writes it. */
  end(
    order: VenueOrder,
    status: 'canceled' | 'expired' | 'rejected',
    now: number,
    events: OrderEvent[],
  ): void {
    order.status = status
    order.updatedAt = now
    order.closedAt = now
    if (status === 'canceled') order.canceledAt = now
    if (status === 'expired') order.expiredAt = now
    if (status === 'rejected') order.failedAt = now
    events.push({ kind: status, order: { ...order }, fill: null, at: now })
  }

  #fill(order: VenueOrder, wanted: Decimal | null, price: Decimal, now: number, events: OrderEvent[]): void {
    order.forcedFillAt = null
    const account = this.#parts.accounts.get(order.accountId)
    const position = this.#parts.executions.position(account.id, order.symbol)
    const qty = wanted ?? openQty(order, price, position)
    const signedQty = order.side === 'buy' ? qty : negate(qty)
    const holding = holdingAfter(position, signedQty, price)
    if (holding)
      this.#parts.executions.setPosition({ accountId: account.id, symbol: order.symbol, ...holding })
    else this.#parts.executions.clearPosition(account.id, order.symbol)
    const fee = round(multiply(qty, this.#parts.feePerShare), FEE_PLACES)
    this.#parts.accounts.setCash(account.id, subtract(account.cash, add(multiply(signedQty, price), fee)))
    const fill: Fill = {
      id: randomUUID(),
      orderId: order.id,
      accountId: account.id,
      symbol: order.symbol,
      side: order.side,
      qty,
      price,
      fee,
      positionQty: holding?.qty ?? '0',
      at: now,
    }
    this.#parts.executions.insertFill(fill)
    order.filledQty = add(order.filledQty, qty)
    order.filledValue = add(order.filledValue, multiply(qty, price))
    order.filledAt = now
    order.updatedAt = now
    const isComplete = order.qty === null || compare(order.filledQty, order.qty) >= 0
    if (isComplete) {
      order.status = 'filled'
      order.closedAt = now
    } else if (order.status !== 'pending_cancel') {
      order.status = 'partially_filled'
    }
    events.push({ kind: isComplete ? 'fill' : 'partial_fill', order: { ...order }, fill, at: now })
  }
}

function openQty(order: VenueOrder, price: Decimal, position: VenuePosition | null): Decimal {
  if (order.qty !== null) return subtract(order.qty, order.filledQty)
  const qty = divideDown(order.notional!, price, FRACTION_PLACES)
  // The price may have moved since the order was admitted; closing in dollars still never goes through zero.
  return order.positionIntent.endsWith('_to_close') && position ? smaller(qty, magnitude(position.qty)) : qty
}
