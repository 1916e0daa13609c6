import { randomUUID } from 'node:crypto'
import { divideDown, isPositive, magnitude, multiply, type Decimal } from '#domain/money/decimal.ts'
import { AccountStore, USUAL_CONFIGURATION, type AccountType, type VenueAccount } from '../ledger/accounts.ts'
import type { Ledger } from '../ledger/database.ts'
import { EquityStore } from '../ledger/equities.ts'
import { ExecutionStore } from '../ledger/executions.ts'
import {
  hasFailedToReplace,
  isParent,
  knownToRulesAs,
  OrderStore,
  type VenueOrder,
} from '../ledger/orders.ts'
import { SubmissionStore } from '../ledger/submissions.ts'
import { WatchlistStore } from '../ledger/watchlists.ts'
import type { FaultTarget } from '../faults/rule.ts'
import type { FaultScript } from '../faults/script.ts'
import type { MarketHours } from '../market-hours.ts'
import type { Market } from '../market.ts'
import { Rejection, reject } from '../rejection.ts'
import { EquityNotes } from './equity-notes.ts'
import { balancesOf, type Balances } from './margin.ts'
import type { OrderEvent } from './order-event.ts'
import { takeOrder, type Applicant } from './order-desk.ts'
import { otherLevel } from './order-group.ts'
import { OrderLifecycle } from './order-lifecycle.ts'
import { replacementOf } from './replacement.ts'

export interface ExchangeParts {
  ledger: Ledger
  market: Market
  hours: MarketHours
  faults: FaultScript
  feePerShare: Decimal
  now: () => number
  /** Called after the commit, in order. */
  onEvent: (event: OrderEvent) => void
  /** Called when settling failed: the venue must stop. */
  onFailure: (error: unknown) => void
}

/** Every change is committed before a client receives it: a killed process loses and doubles nothing. */
export class Exchange {
  readonly accounts: AccountStore
  readonly orders: OrderStore
  readonly executions: ExecutionStore
  readonly submissions: SubmissionStore
  readonly equities: EquityStore
  readonly watchlists: WatchlistStore
  readonly #parts: ExchangeParts
  readonly #lifecycle: OrderLifecycle
  #arrivals: { accountId: string; id: string }[] = []
  #arrivalsDue: NodeJS.Immediate | null = null
  readonly #notes: EquityNotes

  constructor(parts: ExchangeParts) {
    this.#parts = parts
    this.accounts = new AccountStore(parts.ledger)
    this.orders = new OrderStore(parts.ledger)
    this.executions = new ExecutionStore(parts.ledger)
    this.submissions = new SubmissionStore(parts.ledger)
    this.equities = new EquityStore(parts.ledger)
    this.watchlists = new WatchlistStore(parts.ledger)
    const { accounts, orders, executions, equities } = this
    const { ledger, hours } = parts
    const equityOf = (account: VenueAccount) => this.balances(account).equity
    this.#notes = new EquityNotes({ ledger, hours, accounts, equities, equityOf })
    this.#lifecycle = new OrderLifecycle({
      accounts,
      orders,
      executions,
      market: parts.market,
      hours: parts.hours,
      feePerShare: parts.feePerShare,
    })
  }

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
        configuration: USUAL_CONFIGURATION,
      }
      this.accounts.insert(account)
      return account
    })
  }

  /** Records the attempt; the market sees the order later. Throws a Rejection. `cameAt`: epoch milliseconds. */
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
    this.#announceArrival(result)
    return result
  }

  /** Throws a Rejection. */
  replace(accountId: string, orderId: string, body: unknown): VenueOrder {
    const { order, replacement } = this.#commit((events) => {
      const order = this.orders.find(accountId, orderId)
      if (!order) throw reject.notFound(`order not found for ${orderId}`)
      const group = order.groupId === null ? [] : this.orders.group(order.groupId)
      const now = this.#parts.now()
      const replacement = replacementOf(this.#parts, { order, group }, body, this.#applicant(accountId), now)
      const isOvertaken =
        order.waitsFor !== 'entry' &&
        this.#parts.faults.drawConduct(['overtaken'], this.#targetOf(order)) !== null
      if (isOvertaken) this.#lifecycle.failToReplace(order, replacement, now, events)
      else this.#lifecycle.replace(order, replacement, now, events)
      return { order, replacement }
    })
    this.#announceArrival(order)
    this.#announceArrival(replacement)
    return replacement
  }

  recordUnreceived(accountId: string, body: unknown, fault: string): void {
    this.submissions.insert({
      accountId,
      clientOrderId: clientOrderIdIn(body),
      outcome: 'not_received',
      message: fault,
      orderId: null,
      at: this.#parts.now(),
    })
  }

  /** Repeatable cancel. Throws a Rejection for an ended order. */
  cancel(accountId: string, orderId: string): void {
    this.#commit((events) => {
      const order = this.orders.find(accountId, orderId)
      if (!order) throw reject.notFound(`order not found for ${orderId}`)
      this.#requestCancel(order, events)
    })
  }

  cancelAll(accountId: string): string[] {
    return this.#commit((events) =>
      this.orders.workingOf(accountId).map(({ id }) => {
        const order = this.orders.find(accountId, id)!
        if (order.closedAt === null) this.#requestCancel(order, events)
        return id
      }),
    )
  }

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

  /** Legs; null for a single order, and for a leg. */
  legsOf(order: VenueOrder): VenueOrder[] | null {
    const { groupId, replacedBy } = order
    if (groupId === null || !isParent(order) || replacedBy !== null || hasFailedToReplace(order)) return null
    return this.orders.group(groupId).filter((leg) => !isParent(leg) && !hasFailedToReplace(leg))
  }

  /** Null also while a scripted lag hides the order. */
  findOrderByClientId(accountId: string, clientOrderId: string): VenueOrder | null {
    const order = this.orders.findByClientOrderId(accountId, clientOrderId)
    if (order?.lookupFrom && this.#parts.now() < order.lookupFrom) return null
    return order
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

  tick(): void {
    const now = this.#parts.now()
    this.#notes.tick(now)
    const unsettled = this.orders.unsettled()
    if (unsettled.length > 0) this.#commit((events) => this.#lifecycle.advance(unsettled, now, events))
  }

  /** The next start settles the arrivals. */
  stop(): void {
    if (this.#arrivalsDue) clearImmediate(this.#arrivalsDue)
    this.#arrivals = []
  }

  #accept(accountId: string, body: unknown, now: number): VenueOrder {
    const [order, ...legs] = takeOrder(this.#parts, body, this.#applicant(accountId), now)
    for (const each of [order!, ...legs]) this.orders.insert(each)
    return order!
  }

  #applicant(accountId: string): Applicant {
    return {
      account: this.accounts.get(accountId),
      positions: this.executions.positionsOf(accountId),
      workingOrders: this.orders.workingOf(accountId),
      isTaken: (clientOrderId) => this.orders.findByClientOrderId(accountId, clientOrderId) !== null,
    }
  }

  #announceArrival({ accountId, id }: VenueOrder): void {
    this.#arrivals.push({ accountId, id })
    this.#arrivalsDue ??= setImmediate(() => this.#advanceArrivals())
  }

  #requestCancel(order: VenueOrder, events: OrderEvent[]): void {
    if (order.closedAt !== null) throw reject.unprocessable(`order is already in "${order.status}" state`)
    if (order.status === 'pending_cancel') return
    const { faults, now } = this.#parts
    const at = now()
    const conduct =
      faults.isEmpty || order.waitsFor === 'entry'
        ? null
        : faults.drawConduct(['pending', 'fill', 'late_fill'], this.#targetOf(order))
    if (conduct === null || conduct.mode === 'late_fill') {
      this.#lifecycle.cancel(order, at, events)
      if (conduct === null) return
      order.forcedFillAt = at + conduct.delayMs
      this.orders.update(order)
      return
    }
    if (conduct.mode === 'fill') order.forcedFillAt = at + conduct.delayMs
    const other = order.groupId === null ? null : otherLevel(order, this.orders.group(order.groupId))
    for (const each of other === null ? [order] : [order, other]) {
      if (conduct.mode === 'pending') each.cancelAt = at + conduct.delayMs
      each.status = 'pending_cancel'
      each.updatedAt = at
      this.orders.update(each)
      events.push({ kind: 'pending_cancel', order: { ...each }, fill: null, at })
    }
  }

  #targetOf(order: VenueOrder): FaultTarget {
    const { keyId } = this.accounts.get(order.accountId)
    return { account: keyId, symbol: order.symbol, clientOrderId: knownToRulesAs(order) }
  }

  #advanceArrivals(): void {
    this.#arrivalsDue = null
    const arrivals = this.#arrivals
    this.#arrivals = []
    try {
      this.#commit((events) => {
        const at = this.#parts.now()
        const orders = arrivals.map(({ accountId, id }) => this.orders.find(accountId, id)!)
        for (const order of orders)
          if (order.status === 'accepted')
            events.push({ kind: 'accepted', order: { ...order }, fill: null, at })
        this.#lifecycle.advance(orders, at, events)
      })
    } catch (error) {
      this.#parts.onFailure(error)
    }
  }

  /** Events follow the commit, so that no client receives a rolled-back change. */
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
