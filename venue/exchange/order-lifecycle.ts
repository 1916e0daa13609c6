import {
  compare,
  isZero,
  smaller,
  subtract,
  type Decimal,
  add,
  divideDown,
  isPositive,
  magnitude,
  multiply,
  negate,
  round,
} from '#domain/money/decimal.ts'
import type { VenueOrder, OrderStore } from '../ledger/orders.ts'
import type { MarketPhase, MarketHours } from '../market-hours.ts'
import type { Quote } from '../prices.ts'
import { executablePrice, reachesStop } from './matching.ts'
import { bestSince, trailingStopAt } from './trailing.ts'
import { randomUUID } from 'node:crypto'
import { FRACTION_PLACES } from '#domain/order/broker-rules.ts'
import type { AccountStore } from '../ledger/accounts.ts'
import type { ExecutionStore, Fill, VenuePosition } from '../ledger/executions.ts'
import type { Market } from '../market.ts'
import { availableQty } from './margin.ts'
import type { OrderEvent } from './order-event.ts'
import { inTurn, openSiblings, otherLevel } from './order-group.ts'

type Step =
  | { kind: 'none' | 'open' | 'trigger' | 'cancel' | 'expire' | 'reject' }
  /** Price that a trailing stop follows, in dollars a share. */
  | { kind: 'trail'; hwm: Decimal }
  /** qty null: all open shares. */
  | { kind: 'fill'; price: Decimal; qty: Decimal | null }

const NONE: Step = { kind: 'none' }
/** Orders cancelled unless they trade at once, or in their auction. */
const IMMEDIATE: ReadonlySet<VenueOrder['timeInForce']> = new Set(['ioc', 'fok', 'opg', 'cls'])

const isAuctionOrder = ({ timeInForce }: Pick<VenueOrder, 'timeInForce'>): boolean =>
  timeInForce === 'opg' || timeInForce === 'cls'

function nextStep(order: VenueOrder, now: number, phase: MarketPhase, quote: Quote): Step {
  if (isDue(order.forcedFillAt, now)) return { kind: 'fill', price: forcedPrice(order, quote), qty: null }
  if (order.closedAt !== null) return NONE
  if (isDue(order.rejectAt, now)) return { kind: 'reject' }
  if (isDue(order.cancelAt, now)) return { kind: 'cancel' }
  if (now >= order.expiresAt) return { kind: 'expire' }
  if (order.waitsFor === 'entry') return NONE
  if (now < order.activeAt || !mayTrade(order, phase)) return NONE
  if (order.status === 'accepted' || order.status === 'pending_new') return { kind: 'open' }
  const hwm = bestSince(order, quote)
  if (hwm !== order.hwm) return { kind: 'trail', hwm: hwm! }
  if (order.fillableFrom !== null && now < order.fillableFrom) return NONE
  if (reachesStop(order, quote)) return { kind: 'trigger' }
  if (order.waitsFor === 'trigger') return NONE
  const price = executablePrice(order, quote)
  const qty = price === null ? '0' : qtyOnOffer(order, now)
  if (price !== null && qty !== '0') return { kind: 'fill', price, qty }
  return IMMEDIATE.has(order.timeInForce) ? { kind: 'cancel' } : NONE
}

function mayTrade(order: VenueOrder, phase: MarketPhase): boolean {
  return isAuctionOrder(order) || phase === 'regular' || (phase === 'extended' && order.extendedHours)
}

/** Shares of the next fill; null: all open shares. */
function qtyOnOffer(order: VenueOrder, now: number): Decimal | null {
  if (order.firstFillQty === null || order.qty === null || order.timeInForce === 'fok') return null
  if (isZero(order.filledQty)) return smaller(order.firstFillQty, subtract(order.qty, order.filledQty))
  return isDue(order.heldUntil, now) ? null : '0'
}

function forcedPrice(order: VenueOrder, quote: Quote): Decimal {
  const touch = order.side === 'buy' ? quote.ask : quote.bid
  if (order.limitPrice === null) return touch
  const isBetter = compare(touch, order.limitPrice) === (order.side === 'buy' ? -1 : 1)
  return isBetter ? touch : order.limitPrice
}

const isDue = (instant: number | null, now: number): boolean => instant !== null && now >= instant

const AVERAGE_COST_PLACES = 10

/** Signed shares, at dollars a share. */
interface Holding {
  qty: Decimal
  avgEntryPrice: Decimal
}

/** Signed shares; null for none. Adding moves the average; crossing zero resets it. */
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
  /** Dollars a share. */
  feePerShare: Decimal
}

interface Scene {
  orders: readonly VenueOrder[]
  now: number
  events: OrderEvent[]
}

type EndStatus = 'canceled' | 'expired' | 'rejected'
const END_BY_STEP = { cancel: 'canceled', expire: 'expired', reject: 'rejected' } as const

const FEE_PLACES = 6

/** Runs inside the caller's transaction. */
export class OrderLifecycle {
  readonly #parts: OrderLifecycleParts

  constructor(parts: OrderLifecycleParts) {
    this.#parts = parts
  }

  advance(orders: readonly VenueOrder[], now: number, events: OrderEvent[]): void {
    const phase = this.#parts.hours.phaseAt(now)
    const scene: Scene = { orders: this.#withGroups(orders), now, events }
    for (const order of inTurn(scene.orders)) {
      for (;;) {
        const quote = this.#quoteFor(order, now)
        const step = nextStep(order, now, phase, quote)
        if (step.kind === 'none') break
        if (step.kind === 'fill') this.#fill(order, step.qty, step.price, scene)
        else if (step.kind === 'trail') this.#trail(order, step.hwm)
        else if (step.kind === 'trigger') this.#trigger(order, scene)
        else if (step.kind === 'open') this.#open(order, scene)
        else this.#end(order, END_BY_STEP[step.kind], scene)
      }
    }
  }

  cancel(order: VenueOrder, now: number, events: OrderEvent[]): void {
    this.#end(order, 'canceled', { orders: this.#withGroups([order]), now, events })
  }

  replace(order: VenueOrder, replacement: VenueOrder, now: number, events: OrderEvent[]): void {
    order.status = 'pending_replace'
    order.updatedAt = now
    events.push({ kind: 'pending_replace', order: { ...order }, fill: null, at: now })
    order.status = 'replaced'
    order.closedAt = now
    order.replacedAt = now
    order.replacedBy = replacement.id
    this.#parts.orders.update(order)
    this.#parts.orders.insert(replacement)
    events.push({ kind: 'replaced', order: { ...order }, fill: null, at: now })
  }

  failToReplace(order: VenueOrder, replacement: VenueOrder, now: number, events: OrderEvent[]): void {
    order.status = 'pending_replace'
    order.updatedAt = now
    order.forcedFillAt = now
    this.#parts.orders.update(order)
    events.push({ kind: 'pending_replace', order: { ...order }, fill: null, at: now })
    this.#parts.orders.insert(replacement)
    this.#close(replacement, 'rejected', { orders: [], now, events })
  }

  #withGroups(orders: readonly VenueOrder[]): VenueOrder[] {
    const all = new Map(orders.map((order) => [order.id, order]))
    for (const groupId of new Set(orders.flatMap((order) => order.groupId ?? []))) {
      for (const other of this.#parts.orders.group(groupId)) {
        if (!all.has(other.id)) all.set(other.id, other)
      }
    }
    return [...all.values()]
  }

  /** An auction has one price, also for a venue that did not run then. */
  #quoteFor(order: VenueOrder, now: number): Quote {
    return this.#parts.market.quote(order.symbol, isAuctionOrder(order) ? order.activeAt : now)
  }

  #open(order: VenueOrder, { now, events }: Scene): void {
    order.status = 'new'
    order.updatedAt = now
    this.#parts.orders.update(order)
    events.push({ kind: 'new', order: { ...order }, fill: null, at: now })
  }

  #trail(order: VenueOrder, hwm: Decimal): void {
    order.hwm = hwm
    order.stopPrice = trailingStopAt(order, hwm)
    this.#parts.orders.update(order)
  }

  /** A waiting stop replaces the other level, which ends. */
  #trigger(order: VenueOrder, scene: Scene): void {
    order.triggeredAt = scene.now
    this.#parts.orders.update(order)
    if (order.waitsFor !== 'trigger') return
    const other = otherLevel(order, scene.orders)
    if (other) this.#cancelInFavor(other, 'canceled', scene)
    this.#release(order, scene)
  }

  #release(order: VenueOrder, scene: Scene): void {
    order.waitsFor = null
    if (order.status === 'held') this.#open(order, scene)
    else this.#parts.orders.update(order)
  }

  #end(order: VenueOrder, status: EndStatus, scene: Scene): void {
    this.#close(order, status, scene)
    for (const other of openSiblings(order, scene.orders)) {
      this.#cancelInFavor(other, status === 'expired' ? 'expired' : 'canceled', scene)
    }
  }

  #cancelInFavor(order: VenueOrder, status: EndStatus, scene: Scene): void {
    order.forcedFillAt = null
    this.#close(order, status, scene)
  }

  #close(order: VenueOrder, status: EndStatus, { now, events }: Scene): void {
    order.status = status
    order.updatedAt = now
    order.closedAt = now
    if (status === 'canceled') order.canceledAt = now
    if (status === 'expired') order.expiredAt = now
    if (status === 'rejected') order.failedAt = now
    this.#parts.orders.update(order)
    events.push({ kind: status, order: { ...order }, fill: null, at: now })
  }

  #fill(order: VenueOrder, wanted: Decimal | null, price: Decimal, scene: Scene): void {
    const { now, events } = scene
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
    this.#parts.orders.update(order)
    events.push({ kind: isComplete ? 'fill' : 'partial_fill', order: { ...order }, fill, at: now })
    if (order.role === 'entry') {
      if (isComplete) this.#activateLevels(order, scene)
    } else this.#takeFromOtherLevel(order, isComplete, scene)
  }

  #takeFromOtherLevel(order: VenueOrder, isComplete: boolean, scene: Scene): void {
    const other = otherLevel(order, scene.orders)
    if (!other) return
    if (isComplete) {
      this.#cancelInFavor(other, 'canceled', scene)
      return
    }
    other.qty = add(other.filledQty, subtract(order.qty!, order.filledQty))
    other.updatedAt = scene.now
    this.#parts.orders.update(other)
  }

  #activateLevels(entry: VenueOrder, scene: Scene): void {
    const levels = openSiblings(entry, scene.orders)
    const position = this.#parts.executions.position(entry.accountId, entry.symbol)
    const isHeld = position !== null && isPositive(position.qty) === (entry.side === 'buy')
    const working = this.#parts.orders.workingOf(entry.accountId)
    const free = isHeld ? availableQty(position, working) : '0'
    for (const level of levels) {
      level.qty = smaller(level.qty!, free)
      if (isZero(level.qty)) this.#close(level, 'canceled', scene)
      else if (level.role === 'stopLoss' && levels.length > 1) {
        level.waitsFor = 'trigger'
        this.#parts.orders.update(level)
      } else this.#release(level, scene)
    }
  }
}

function openQty(order: VenueOrder, price: Decimal, position: VenuePosition | null): Decimal {
  if (order.qty !== null) return subtract(order.qty, order.filledQty)
  const qty = divideDown(order.notional!, price, FRACTION_PLACES)
  // Closing in dollars never crosses zero, wherever the price has moved.
  return order.positionIntent.endsWith('_to_close') && position ? smaller(qty, magnitude(position.qty)) : qty
}
