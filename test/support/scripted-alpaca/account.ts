import { randomBytes, randomUUID } from 'node:crypto'
import { add, compare, isPositive, multiply, negate, subtract, type Decimal } from '#domain/money/decimal.ts'
import { alpacaAccount, alpacaFill, alpacaPosition } from '#test/brokers/alpaca-answers.ts'
import { OddAnswers, type ArrivedRequest, type OddAnswer } from './answers.ts'
import { Books, Refusal, isWorking, type BookedOrder, type Execution, type OrderBody } from './books.ts'
import { Days } from './days.ts'
import { Market } from './market.ts'
import { OrderStream } from './stream.ts'

/** An answer as it is sent; `body` undefined sends none. */
export interface WireAnswer {
  status: number
  body?: unknown
}

/** One account at the scripted broker: true books, and whatever a test wants to be shown of them. */
export class ScriptedAccount {
  readonly keyId = `PK${randomBytes(9).toString('hex').toUpperCase()}`
  readonly secretKey = randomBytes(20).toString('base64url')
  number = `PA${randomBytes(5).toString('hex').toUpperCase()}`
  books = new Books(() => this.now())
  readonly days = new Days()
  readonly market = new Market()
  readonly stream = new OrderStream()
  readonly requests: ArrivedRequest[] = []
  /** By how many milliseconds the broker's clock is ahead of the machine's. */
  clockAhead = 0
  /** Whether market orders, and limits that the market has reached, fill at once in a session. */
  fillsAtOnce = true
  /** cancel: a cancel ends an order at once. hang: it stays pending_cancel until a test ends it. */
  cancels: 'cancel' | 'hang' = 'cancel'
  /** What is shown in place of the truth. */
  readonly shown = {
    positions: (rows: Record<string, unknown>[]): Record<string, unknown>[] => rows,
  }
  readonly #odd = new OddAnswers()

  /** The broker's clock. */
  now(): number {
    return Date.now() + this.clockAhead
  }

  /** Answers requests oddly; what comes back ends it. */
  answer(odd: OddAnswer): () => void {
    return this.#odd.add(odd)
  }

  oddFor(request: ArrivedRequest): OddAnswer | undefined {
    return this.#odd.take(request)
  }

  /** How many requests of a kind have come since an instant (milliseconds since the epoch). */
  countRequests(to: string, since = 0): number {
    const [method, path] = to.split(' ')
    return this.requests.filter(
      (request) => request.at >= since && request.method === method && request.path === path,
    ).length
  }

  /** Orders that the service has sent, oldest first. */
  get sent(): BookedOrder[] {
    return this.books.orders.filter(({ client_order_id: id }) => !id.startsWith('by-hand'))
  }

  /** A submission; throws {@link Refusal}. */
  submit(body: OrderBody): BookedOrder {
    const order = this.books.place(body, this.market.asset(body.symbol).class)
    this.tell('new', order)
    if (this.fillsAtOnce && this.#isMarketable(order)) setTimeout(() => this.#fillRest(order), 5)
    return order
  }

  /** An order that its owner places at the broker's own site. */
  byHand(body: Omit<OrderBody, 'time_in_force'> & { time_in_force?: string }): BookedOrder {
    const order = this.books.take({
      time_in_force: 'day',
      ...body,
      client_order_id: `by-hand-${randomUUID()}`,
    })
    this.tell('new', order)
    return order
  }

  /** Executes shares of an order, all that are left by default. */
  fill(
    order: BookedOrder,
    shares: Decimal = subtract(order.qty, order.filled_qty),
    { price = this.#priceFor(order), silently = false } = {},
  ): Execution {
    const execution = this.books.execute(order, shares, price)
    if (!silently) this.reportExecution(order, execution)
    return execution
  }

  reportExecution(order: BookedOrder, execution: Execution): void {
    this.tell(compare(execution.cumQty, order.qty) >= 0 ? 'fill' : 'partial_fill', order, {
      execution_id: execution.id,
      price: execution.price,
      qty: execution.qty,
      position_qty: this.books.held(order.symbol),
      timestamp: new Date(execution.at).toISOString(),
    })
  }

  /** Ends an order as the broker does by itself, or as a person does at its site. */
  end(order: BookedOrder, status: 'canceled' | 'expired' | 'rejected'): void {
    this.books.end(order, status)
    this.tell(status, order)
  }

  cancel(order: BookedOrder): void {
    if (!isWorking(order)) throw new Refusal(422, { message: `order is already in "${order.status}" state` })
    order.status = 'pending_cancel'
    this.tell('pending_cancel', order)
    if (this.cancels === 'cancel') setTimeout(() => isWorking(order) && this.end(order, 'canceled'), 5)
  }

  /** The paper account is made anew: nothing of before is known, under the same keys. */
  reset(): void {
    this.books = new Books(() => this.now())
    this.stream.cut()
  }

  tell(event: string, order: BookedOrder, more: Record<string, unknown> = {}): void {
    const at = new Date(this.now()).toISOString()
    this.stream.tell({
      event,
      event_id: randomUUID(),
      execution_id: randomUUID(),
      at,
      timestamp: at,
      order: structuredClone(order),
      ...more,
    })
  }

  showAccount(): Record<string, unknown> {
    const positions = this.books.positions()
    const value = positions.reduce<Decimal>(
      (sum, { symbol, qty }) => add(sum, multiply(qty, this.market.of(symbol).last)),
      '0',
    )
    const cash = this.books.cash()
    const equity = add(cash, value)
    return alpacaAccount({
      account_number: this.number,
      cash,
      equity,
      portfolio_value: equity,
      last_equity: this.books.openingCash,
      position_market_value: value,
      buying_power: multiply(equity, '2'),
      regt_buying_power: multiply(equity, '2'),
    })
  }

  showPositions(): Record<string, unknown>[] {
    const rows = this.books.positions().map(({ symbol, qty, available }) => {
      const { last } = this.market.of(symbol)
      return alpacaPosition({
        symbol: symbol.replace('/', ''),
        asset_class: this.market.asset(symbol).class,
        qty,
        qty_available: isPositive(qty) ? available : negate(available),
        avg_entry_price: last,
        side: isPositive(qty) ? 'long' : 'short',
        market_value: multiply(qty, last),
        cost_basis: multiply(qty, last),
        current_price: last,
        lastday_price: last,
        change_today: '0',
      })
    })
    return this.shown.positions(rows)
  }

  showActivities(types: readonly string[], after: number): Record<string, unknown>[] {
    const fills = this.books.executions
      .filter(({ at }) => at > after)
      .toSorted((one, other) => one.at - other.at)
      .map((execution) => {
        const order = this.books.find(execution.orderId)!
        const left = subtract(order.qty, execution.cumQty)
        const at = new Date(execution.at).toISOString()
        return alpacaFill({
          id: `${at.replaceAll(/\D/g, '')}::${execution.id}`,
          transaction_time: at,
          type: isPositive(left) ? 'partial_fill' : 'fill',
          price: execution.price,
          qty: execution.qty,
          side: execution.side,
          symbol: execution.symbol,
          leaves_qty: isPositive(left) ? left : '0',
          order_id: execution.orderId,
          cum_qty: execution.cumQty,
          order_status: isPositive(left) ? 'partially_filled' : 'filled',
        })
      })
    return fills.filter(({ activity_type: type }) => types.includes(type))
  }

  #isMarketable({ type, side, symbol, limit_price: limit, time_in_force: tif }: BookedOrder): boolean {
    if (tif === 'opg' || tif === 'cls') return false
    const { bid, ask } = this.market.of(symbol)
    if (type === 'market') return true
    if (type !== 'limit' || limit === null) return false
    return side === 'buy' ? compare(limit, ask) >= 0 : compare(limit, bid) <= 0
  }

  #fillRest(order: BookedOrder): void {
    if (isWorking(order) && compare(order.qty, order.filled_qty) > 0) this.fill(order)
  }

  #priceFor(order: BookedOrder): Decimal {
    const { last, bid, ask } = this.market.of(order.symbol)
    if (order.limit_price === null) return last
    // A limit that the market has reached is filled at the market's price.
    if (!this.#isMarketable(order)) return order.limit_price
    return order.side === 'buy' ? ask : bid
  }
}
