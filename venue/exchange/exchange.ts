import { randomUUID } from 'node:crypto'
import { divideDown, isPositive, magnitude, multiply, round, type Decimal } from '#domain/decimal.ts'
import { findAsset } from '../assets.ts'
import { AccountStore, type AccountType, type VenueAccount } from '../ledger/accounts.ts'
import type { Ledger } from '../ledger/database.ts'
import { ExecutionStore, type VenuePosition } from '../ledger/executions.ts'
import { OrderStore, type OrderQuery, type VenueOrder } from '../ledger/orders.ts'
import { SubmissionStore, type Submission } from '../ledger/submissions.ts'
import type { FaultTarget } from '../faults/rule.ts'
import type { FaultScript } from '../faults/script.ts'
import type { MarketHours } from '../market-hours.ts'
import type { Market } from '../market.ts'
import { Rejection, reject } from '../rejection.ts'
import { admit } from './account-rules.ts'
import { conductOf } from './conduct.ts'
import { balancesOf, type Balances } from './margin.ts'
import type { OrderEvent } from './order-event.ts'
import { readOrderTicket } from './order-ticket.ts'
import { placementOf } from './placement.ts'
import { OrderLifecycle } from './order-lifecycle.ts'

export interface ExchangeParts {
  ledger: Ledger
  market: Market
  hours: MarketHours
  faults: FaultScript
  /** Dollars for each share traded. */
  feePerShare: Decimal
  /** Epoch milliseconds. */
  now: () => number
  /** Told after the commit, in order. */
  onEvent: (event: OrderEvent) => void
  /** Told when settling failed: the venue must not go on. */
  onFailure: (error: unknown) => void
}

/**
 * Accounts, orders, fills and positions. Everything that changes is one transaction, committed before
 * it is told to a client: killed at any moment, the venue neither loses nor doubles what it told.
 */
export class Exchange {
  readonly accounts: AccountStore
  readonly orders: OrderStore
  readonly executions: ExecutionStore
  readonly submissions: SubmissionStore
  readonly #parts: ExchangeParts
  readonly #lifecycle: OrderLifecycle
  /** Accepted a moment ago and not yet shown to the market. */
  #arrivals: { accountId: string; id: string }[] = []
  #arrivalsDue: NodeJS.Immediate | null = null
  /** The local date for which every account's opening equity was noted. */
  #tradingDay: string | null = null

  constructor(parts: ExchangeParts) {
    this.#parts = parts
    this.accounts = new AccountStore(parts.ledger)
    this.orders = new OrderStore(parts.ledger)
    this.executions = new ExecutionStore(parts.ledger)
    this.submissions = new SubmissionStore(parts.ledger)
    const { accounts, orders, executions } = this
    this.#lifecycle = new OrderLifecycle({
      accounts,
      orders,
      executions,
      market: parts.market,
      hours: parts.hours,
      feePerShare: parts.feePerShare,
    })
  }

  /** Opens an account; one that has this key already is returned, and has the secret from now on. */
  openAccount(wanted: { keyId: string; secretKey: string; cash: Decimal; type: AccountType }): VenueAccount {
    return this.#parts.ledger.transaction(() => {
      const existing = this.accounts.findByKey(wanted.keyId)
      if (existing) {
        this.accounts.setSecret(existing.id, wanted.secretKey)
        return { ...existing, secretKey: wanted.secretKey }
      }
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
   * Takes an order from its JSON body, or throws a Rejection; either way the attempt is recorded. The market
   * sees the order right after the answer, in a transaction of its own.
   *
   * @param cameAt when the request reached the venue, which may take its time with it; epoch milliseconds
   */
  submit(accountId: string, body: unknown, cameAt = this.#parts.now()): VenueOrder {
    const { ledger, now } = this.#parts
    const result = ledger.transaction(() => {
      const clientOrderId = clientOrderIdIn(body)
      try {
        const order = this.#accept(accountId, body, now())
        this.submissions.insert({
          accountId,
          clientOrderId: order.clientOrderId,
          outcome: 'accepted',
          message: null,
          orderId: order.id,
          at: cameAt,
        })
        return order
      } catch (error) {
        if (!(error instanceof Rejection)) throw error
        const existing = clientOrderId && this.orders.findByClientOrderId(accountId, clientOrderId)
        this.submissions.insert({
          accountId,
          clientOrderId,
          outcome: existing ? 'duplicate' : 'rejected',
          message: error.message,
          orderId: existing ? existing.id : null,
          at: cameAt,
        })
        return error
      }
    })
    if (result instanceof Rejection) throw result
    this.#arrivals.push({ accountId, id: result.id })
    this.#arrivalsDue ??= setImmediate(() => this.#advanceArrivals())
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

  /** Asks for a cancel; a repeated one is fine. Throws a Rejection for an unknown order or one that has ended. */
  cancel(accountId: string, orderId: string): void {
    this.#commit((events) => {
      const order = this.orders.find(accountId, orderId)
      if (!order) throw reject.notFound(`order not found for ${orderId}`)
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
    if (!position) throw reject.notFound('position does not exist')
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
    if (unsettled.length > 0) this.#commit((events) => this.#lifecycle.advance(unsettled, now, events))
  }

  /** Stops showing arrivals to the market; they are settled when the venue runs again. */
  stop(): void {
    if (this.#arrivalsDue) clearImmediate(this.#arrivalsDue)
    this.#arrivals = []
  }

  #accept(accountId: string, body: unknown, now: number): VenueOrder {
    const { market, hours, faults } = this.#parts
    const ticket = readOrderTicket(body)
    const clientOrderId = ticket.clientOrderId ?? randomUUID()
    if (this.orders.findByClientOrderId(accountId, clientOrderId)) {
      throw reject.invalidParameter('client_order_id must be unique')
    }
    const asset = findAsset(ticket.symbol)
    if (!asset) throw reject.unprocessable(`asset "${ticket.symbol}" not found`)
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
      ...conductOf(faults, { account: account.keyId, symbol: ticket.symbol, clientOrderId }, ticket.qty, now),
    }
    this.orders.insert(order)
    return order
  }

  #requestCancel(order: VenueOrder, events: OrderEvent[]): void {
    if (order.closedAt !== null) throw reject.unprocessable(`order is already in "${order.status}" state`)
    if (order.status === 'pending_cancel') return
    const { faults, now } = this.#parts
    const at = now()
    const conduct = faults.isEmpty
      ? null
      : faults.drawConduct(['pending', 'fill', 'late_fill'], this.#targetOf(order))
    if (conduct?.mode === 'pending') order.cancelAt = at + conduct.delayMs
    if (conduct?.mode === 'fill' || conduct?.mode === 'late_fill') order.forcedFillAt = at + conduct.delayMs
    if (conduct === null || conduct.mode === 'late_fill') {
      this.#lifecycle.end(order, 'canceled', at, events)
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

  #advanceArrivals(): void {
    this.#arrivalsDue = null
    const arrivals = this.#arrivals
    this.#arrivals = []
    try {
      this.#commit((events) => {
        const orders = arrivals.map(({ accountId, id }) => this.orders.find(accountId, id)!)
        this.#lifecycle.advance(orders, this.#parts.now(), events)
      })
    } catch (error) {
      this.#parts.onFailure(error)
    }
  }

  /** Notes each account's equity when the date in New York changes. */
  #startTradingDays(now: number): void {
    const { hours, ledger } = this.#parts
    const today = hours.dateAt(now)
    if (today === this.#tradingDay) return
    ledger.transaction(() => {
      for (const account of this.accounts.list()) {
        if (account.tradingDay === today) continue
        this.accounts.startTradingDay(account.id, today, round(this.balances(account).equity, 2))
      }
    })
    this.#tradingDay = today
  }

  /** One transaction, then the news of it: no client hears of a change that might be rolled back. */
  #commit<Result>(work: (events: OrderEvent[]) => Result): Result {
    const events: OrderEvent[] = []
    const result = this.#parts.ledger.transaction(() => work(events))
    for (const event of events) this.#parts.onEvent(event)
    return result
  }
}

function clientOrderIdIn(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('client_order_id' in body)) return null
  return typeof body.client_order_id === 'string' ? body.client_order_id : null
}
