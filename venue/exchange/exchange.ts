import { randomUUID } from 'node:crypto'
import {
  add,
  compare,
  decimalPlaces,
  divideDown,
  isPositive,
  isZero,
  magnitude,
  multiply,
  negate,
  round,
  smaller,
  subtract,
  type Decimal,
} from '#domain/decimal.ts'
import { findAsset } from '../assets.ts'
import type { AccountType, VenueAccount } from '../books/accounts.ts'
import { AccountBook } from '../books/accounts.ts'
import type { Books } from '../books/database.ts'
import { ExecutionBook, type Fill, type VenuePosition } from '../books/executions.ts'
import {
  NO_CONDUCT,
  OrderBook,
  type OrderConduct,
  type OrderQuery,
  type VenueOrder,
} from '../books/orders.ts'
import { SubmissionBook, type Submission } from '../books/submissions.ts'
import type { FaultTarget } from '../faults/rule.ts'
import type { FaultScript } from '../faults/script.ts'
import type { MarketHours } from '../market-hours.ts'
import type { Market } from '../market.ts'
import type { Quote } from '../prices.ts'
import { Refusal, refuse } from '../refusal.ts'
import { admit } from './account-rules.ts'
import { balancesOf, type Balances } from './margin.ts'
import { isAuctionOrder, nextStep } from './next-step.ts'
import { readOrderTicket, type OrderTicket } from './order-ticket.ts'
import { placementOf } from './placement.ts'
import { holdingAfter } from './position-keeping.ts'

/** Something that happened to an order, in the words of Alpaca's trade_updates. */
export interface OrderEvent {
  kind: 'new' | 'fill' | 'partial_fill' | 'canceled' | 'expired' | 'rejected' | 'pending_cancel'
  /** The order right after it happened. */
  order: VenueOrder
  /** Set exactly for fills. */
  fill: Fill | null
  /** Epoch milliseconds. */
  at: number
}

export interface ExchangeParts {
  books: Books
  market: Market
  hours: MarketHours
  faults: FaultScript
  /** Epoch milliseconds. */
  now: () => number
  /** Told after the commit, in order. */
  onEvent: (event: OrderEvent) => void
  /** Told when settling failed: the venue must not go on. */
  onFailure: (error: unknown) => void
}

/** Decimals of a share that an order in dollars is filled with. */
const FRACTION_PLACES = 9

/**
 * Accounts, orders, fills and positions. Everything that changes is one transaction, committed before
 * anybody hears of it: killed at any moment, the venue neither loses nor doubles what it told.
 */
export class Exchange {
  readonly accounts: AccountBook
  readonly orders: OrderBook
  readonly executions: ExecutionBook
  readonly submissions: SubmissionBook
  readonly #parts: ExchangeParts
  /** Accepted a moment ago and not yet shown to the market. */
  #arrivals: { accountId: string; id: string }[] = []
  #arrivalsDue: NodeJS.Immediate | null = null
  /** The local date for which every account's opening equity was noted. */
  #tradingDay: string | null = null

  constructor(parts: ExchangeParts) {
    this.#parts = parts
    this.accounts = new AccountBook(parts.books)
    this.orders = new OrderBook(parts.books)
    this.executions = new ExecutionBook(parts.books)
    this.submissions = new SubmissionBook(parts.books)
  }

  /** Opens an account, or returns the one that has this key already. */
  openAccount(wanted: { keyId: string; secretKey: string; cash: Decimal; type: AccountType }): VenueAccount {
    return this.#parts.books.transaction(() => {
      const existing = this.accounts.findByKey(wanted.keyId)
      if (existing) return existing
      const now = this.#parts.now()
      const account: VenueAccount = {
        ...wanted,
        id: randomUUID(),
        openingCash: wanted.cash,
        lastEquity: wanted.cash,
        tradingDay: this.#parts.hours.dateAt(now),
        createdAt: now,
      }
      this.accounts.insert(account)
      return account
    })
  }

  /**
   * Takes an order from its JSON body, or throws a Refusal; either way the attempt is recorded. The market
   * sees the order right after the answer, in a transaction of its own.
   */
  submit(accountId: string, body: unknown): VenueOrder {
    const { books, now } = this.#parts
    const at = now()
    const result = books.transaction(() => {
      const clientOrderId = clientOrderIdIn(body)
      try {
        const order = this.#accept(accountId, body, at)
        this.submissions.insert({
          accountId,
          clientOrderId: order.clientOrderId,
          outcome: 'accepted',
          message: null,
          orderId: order.id,
          at,
        })
        return order
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const existing = clientOrderId && this.orders.findByClientOrderId(accountId, clientOrderId)
        this.submissions.insert({
          accountId,
          clientOrderId,
          outcome: existing ? 'duplicate' : 'refused',
          message: error.message,
          orderId: existing ? existing.id : null,
          at,
        })
        return error
      }
    })
    if (result instanceof Refusal) throw result
    this.#arrivals.push({ accountId, id: result.id })
    this.#arrivalsDue ??= setImmediate(() => this.#settleArrivals())
    return result
  }

  /** Records an attempt that a scripted fault kept from the venue. */
  recordUnreceived(accountId: string, body: unknown, fault: string): void {
    const submission: Submission = {
      accountId,
      clientOrderId: clientOrderIdIn(body),
      outcome: 'not_received',
      message: fault,
      orderId: null,
      at: this.#parts.now(),
    }
    this.submissions.insert(submission)
  }

  /** Asks for a cancel; a repeated one is fine. Throws a Refusal for an unknown order or one that has ended. */
  cancel(accountId: string, orderId: string): void {
    this.#commit((events) => {
      const order = this.orders.find(accountId, orderId)
      if (!order) throw refuse.notFound(`order not found for ${orderId}`)
      this.#requestCancel(order, events)
    })
  }

  /** Asks for a cancel of every working order; returns their ids. */
  cancelAll(accountId: string): string[] {
    return this.#commit((events) =>
      this.orders.workingOf(accountId).map((order) => {
        this.#requestCancel(order, events)
        return order.id
      }),
    )
  }

  /** Sells (or buys back) a position at the market: all that is free, or the given shares of it. */
  closePosition(
    accountId: string,
    symbol: string,
    part: { qty?: Decimal; percentage?: Decimal },
  ): VenueOrder {
    const position = this.executions.position(accountId, symbol)
    if (!position) throw refuse.notFound('position does not exist')
    const whole = magnitude(position.qty)
    const share =
      part.percentage === undefined ? whole : divideDown(multiply(whole, part.percentage), '100', 9)
    return this.submit(accountId, {
      symbol,
      qty: part.qty ?? share,
      side: isPositive(position.qty) ? 'sell' : 'buy',
      type: 'market',
      time_in_force: 'day',
    })
  }

  findOrder(accountId: string, orderId: string): VenueOrder | null {
    return this.orders.find(accountId, orderId)
  }

  /** Null also while a scripted lag hides the order. */
  findOrderByClientId(accountId: string, clientOrderId: string): VenueOrder | null {
    const order = this.orders.findByClientOrderId(accountId, clientOrderId)
    if (order?.lookupFrom && this.#parts.now() < order.lookupFrom) return null
    return order
  }

  listOrders(accountId: string, query: OrderQuery): VenueOrder[] {
    return this.orders.list(accountId, query)
  }

  balances(account: VenueAccount): Balances {
    const { market, now } = this.#parts
    const at = now()
    return balancesOf(
      account,
      this.executions.positionsOf(account.id),
      this.orders.workingOf(account.id),
      (symbol) => market.quote(symbol, at).last,
    )
  }

  positions(accountId: string): VenuePosition[] {
    return this.executions.positionsOf(accountId)
  }

  /** Lets time pass: opens, triggers, fills, expires whatever is due at this moment. */
  tick(): void {
    const now = this.#parts.now()
    this.#startTradingDays(now)
    const unsettled = this.orders.unsettled()
    if (unsettled.length > 0) this.#commit((events) => this.#settle(unsettled, now, events))
  }

  /** Stops showing arrivals to the market; they are settled when the venue runs again. */
  stop(): void {
    if (this.#arrivalsDue) clearImmediate(this.#arrivalsDue)
    this.#arrivals = []
  }

  #accept(accountId: string, body: unknown, now: number): VenueOrder {
    const { market, hours } = this.#parts
    const ticket = readOrderTicket(body)
    const clientOrderId = ticket.clientOrderId ?? randomUUID()
    if (this.orders.findByClientOrderId(accountId, clientOrderId)) {
      throw refuse.invalidParameter('client_order_id must be unique')
    }
    const asset = findAsset(ticket.symbol)
    if (!asset) throw refuse.unprocessable(`asset "${ticket.symbol}" not found`)
    const account = this.accounts.get(accountId)
    const { positionIntent, reservePrice } = admit(ticket, asset, {
      account,
      positions: this.executions.positionsOf(accountId),
      workingOrders: this.orders.workingOf(accountId),
      quoteOf: (symbol) => market.quote(symbol, now),
    })
    const placement = placementOf(ticket, hours, now)
    const order: VenueOrder = {
      ...ticket,
      id: randomUUID(),
      accountId,
      clientOrderId,
      positionIntent,
      reservePrice,
      ...placement,
      createdAt: now,
      updatedAt: now,
      status: placement.activeAt <= now ? 'pending_new' : 'accepted',
      filledQty: '0',
      filledValue: '0',
      filledAt: null,
      expiredAt: null,
      canceledAt: null,
      failedAt: null,
      closedAt: null,
      triggeredAt: null,
      ...this.#conductFor(ticket, clientOrderId, account.keyId, now),
    }
    this.orders.insert(order)
    return order
  }

  /** What the fault script makes of a new order. */
  #conductFor(ticket: OrderTicket, clientOrderId: string, account: string, now: number): OrderConduct {
    const { faults } = this.#parts
    if (faults.isEmpty) return NO_CONDUCT
    const target: FaultTarget = { account, symbol: ticket.symbol, clientOrderId }
    const lag = faults.drawConduct(['lag'], target)
    const delay = faults.drawConduct(['delay'], target)
    const partial = ticket.qty === null ? null : faults.drawConduct(['partial'], target)
    const reject = faults.drawConduct(['reject'], target)
    return {
      ...NO_CONDUCT,
      lookupFrom: lag && now + lag.lagMs,
      fillableFrom: delay && now + delay.delayMs,
      firstFillQty: partial && partOf(ticket.qty!, partial.fraction),
      heldUntil: partial?.holdMs === undefined ? null : now + partial.holdMs,
      rejectAt: reject && now + reject.delayMs,
      rejectReason: reject && reject.reason,
    }
  }

  #requestCancel(order: VenueOrder, events: OrderEvent[]): void {
    if (order.closedAt !== null) throw refuse.unprocessable(`order is already in "${order.status}" state`)
    if (order.status === 'pending_cancel') return
    const { faults, now } = this.#parts
    const at = now()
    const conduct = faults.isEmpty
      ? null
      : faults.drawConduct(['pending', 'fill', 'late_fill'], this.#targetOf(order))
    if (conduct?.mode === 'pending') order.cancelAt = at + conduct.delayMs
    if (conduct?.mode === 'fill' || conduct?.mode === 'late_fill') order.forcedFillAt = at + conduct.delayMs
    if (conduct === null || conduct.mode === 'late_fill') {
      this.#end(order, 'canceled', at, events)
    } else {
      order.status = 'pending_cancel'
      order.updatedAt = at
      events.push({ kind: 'pending_cancel', order: { ...order }, fill: null, at })
    }
    this.orders.update(order)
  }

  #targetOf(order: VenueOrder): FaultTarget {
    const { keyId } = this.accounts.get(order.accountId)
    return { account: keyId, symbol: order.symbol, clientOrderId: order.clientOrderId }
  }

  #settleArrivals(): void {
    this.#arrivalsDue = null
    const arrivals = this.#arrivals
    this.#arrivals = []
    try {
      this.#commit((events) => {
        const orders = arrivals.map(({ accountId, id }) => this.orders.find(accountId, id)!)
        this.#settle(orders, this.#parts.now(), events)
      })
    } catch (error) {
      this.#parts.onFailure(error)
    }
  }

  #settle(orders: readonly VenueOrder[], now: number, events: OrderEvent[]): void {
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
        else if (step.kind === 'cancel') this.#end(order, 'canceled', now, events)
        else if (step.kind === 'expire') this.#end(order, 'expired', now, events)
        else this.#end(order, 'rejected', now, events)
      }
      if (events.length > before || order.triggeredAt !== triggeredBefore) this.orders.update(order)
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

  #end(
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
    const account = this.accounts.get(order.accountId)
    const position = this.executions.position(account.id, order.symbol)
    const qty = wanted ?? openQty(order, price, position)
    const signedQty = order.side === 'buy' ? qty : negate(qty)
    const holding = holdingAfter(position, signedQty, price)
    if (holding) this.executions.setPosition({ accountId: account.id, symbol: order.symbol, ...holding })
    else this.executions.clearPosition(account.id, order.symbol)
    this.accounts.setCash(account.id, subtract(account.cash, multiply(signedQty, price)))
    const fill: Fill = {
      id: randomUUID(),
      orderId: order.id,
      accountId: account.id,
      symbol: order.symbol,
      side: order.side,
      qty,
      price,
      positionQty: holding?.qty ?? '0',
      at: now,
    }
    this.executions.insertFill(fill)
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

  /** Notes each account's equity when the date in New York changes. */
  #startTradingDays(now: number): void {
    const { hours, books } = this.#parts
    const today = hours.dateAt(now)
    if (today === this.#tradingDay) return
    books.transaction(() => {
      for (const account of this.accounts.list()) {
        if (account.tradingDay === today) continue
        this.accounts.startTradingDay(account.id, today, round(this.balances(account).equity, 2))
      }
    })
    this.#tradingDay = today
  }

  /** One transaction, then the news of it: nobody hears of what might be rolled back. */
  #commit<Result>(work: (events: OrderEvent[]) => Result): Result {
    const events: OrderEvent[] = []
    const result = this.#parts.books.transaction(() => work(events))
    for (const event of events) this.#parts.onEvent(event)
    return result
  }
}

function openQty(order: VenueOrder, price: Decimal, position: VenuePosition | null): Decimal {
  if (order.qty !== null) return subtract(order.qty, order.filledQty)
  const qty = divideDown(order.notional!, price, FRACTION_PLACES)
  // The price may have moved since the order was admitted; closing in dollars still never goes through zero.
  return order.positionIntent.endsWith('_to_close') && position ? smaller(qty, magnitude(position.qty)) : qty
}

/** A share of a quantity: whole shares of a whole one, and at least one of them. */
function partOf(qty: Decimal, fraction: number): Decimal {
  const part = divideDown(
    multiply(qty, String(fraction)),
    '1',
    decimalPlaces(qty) === 0 ? 0 : FRACTION_PLACES,
  )
  return isZero(part) ? smaller('1', qty) : part
}

function clientOrderIdIn(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('client_order_id' in body)) return null
  return typeof body.client_order_id === 'string' ? body.client_order_id : null
}
