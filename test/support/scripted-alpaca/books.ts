import { randomUUID } from 'node:crypto'
import {
  add,
  compare,
  divideDown,
  isPositive,
  isZero,
  multiply,
  negate,
  subtract,
  type Decimal,
} from '#domain/money/decimal.ts'
import { alpacaOrder, alpacaRejections } from '#test/brokers/alpaca-answers.ts'

/** An order as the wire shows it; numbers are strings. */
export type BookedOrder = Omit<ReturnType<typeof alpacaOrder>, WireText | WireAmount | 'qty' | 'filled_qty'> &
  Record<WireText, string | null> &
  Record<WireAmount, Decimal | null> &
  Record<'qty' | 'filled_qty', Decimal>
type WireText = 'filled_at' | 'canceled_at' | 'expired_at' | 'failed_at' | 'replaced_by' | 'replaces'
type WireAmount = 'filled_avg_price' | 'limit_price' | 'stop_price'

/** A submission as it comes over the wire. */
export interface OrderBody {
  client_order_id?: string
  symbol: string
  qty: Decimal
  side: 'buy' | 'sell'
  type: string
  time_in_force: string
  position_intent?: string
  limit_price?: Decimal
  stop_price?: Decimal
  extended_hours?: boolean
}

export interface Execution {
  id: string
  orderId: string
  symbol: string
  side: 'buy' | 'sell'
  qty: Decimal
  price: Decimal
  /** Shares of its order that were executed by then, itself included. */
  cumQty: Decimal
  /** Milliseconds since the epoch. */
  at: number
}

/** Why a request is refused, as the wire tells it. */
export class Refusal extends Error {
  readonly status: number
  readonly body: object

  constructor(status: number, body: { message: string } & Record<string, unknown>) {
    super(body.message)
    this.status = status
    this.body = body
  }
}

const WORKING: ReadonlySet<string> = new Set([
  'accepted',
  'new',
  'partially_filled',
  'pending_cancel',
  'pending_replace',
  'held',
])
export const isWorking = ({ status }: Pick<BookedOrder, 'status'>): boolean => WORKING.has(status)

const AVERAGE_PLACES = 6

/** What an account has ordered, executed and holds: true whatever is shown of it. */
export class Books {
  readonly orders: BookedOrder[] = []
  readonly executions: Execution[] = []
  openingCash: Decimal = '100000'
  readonly #now: () => number

  /** @param now the broker's clock, in milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Shares held, negative for a short position. */
  held(symbol: string): Decimal {
    return this.executions
      .filter((execution) => execution.symbol === symbol)
      .reduce<Decimal>((sum, { side, qty }) => (side === 'buy' ? add(sum, qty) : subtract(sum, qty)), '0')
  }

  /** Every position that is not flat. */
  positions(): { symbol: string; qty: Decimal; available: Decimal }[] {
    const symbols = new Set(this.executions.map(({ symbol }) => symbol))
    return [...symbols]
      .map((symbol) => ({ symbol, qty: this.held(symbol), available: this.#available(symbol) }))
      .filter(({ qty }) => !isZero(qty))
  }

  /** Dollars. */
  cash(): Decimal {
    return this.executions.reduce<Decimal>((sum, { side, qty, price }) => {
      const value = multiply(qty, price)
      return add(sum, side === 'buy' ? negate(value) : value)
    }, this.openingCash)
  }

  find(id: string): BookedOrder | undefined {
    return this.orders.find((order) => order.id === id)
  }

  findByClientId(clientOrderId: string): BookedOrder | undefined {
    return this.orders.findLast((order) => order.client_order_id === clientOrderId)
  }

  /** The one order that works in a symbol; throws where there is none or several. */
  working(symbol: string, side?: 'buy' | 'sell'): BookedOrder {
    const found = this.orders.filter(
      (order) => order.symbol === symbol && isWorking(order) && (side === undefined || order.side === side),
    )
    if (found.length !== 1) throw new Error(`${found.length} orders work in ${symbol}`)
    return found[0]!
  }

  /** Takes an order; throws {@link Refusal} as Alpaca does. */
  place(body: OrderBody, assetClass = 'us_equity'): BookedOrder {
    const clientOrderId = body.client_order_id ?? randomUUID()
    if (this.findByClientId(clientOrderId)) throw new Refusal(422, alpacaRejections.duplicate)
    if (assetClass === 'crypto' && body.time_in_force !== 'gtc' && body.time_in_force !== 'ioc')
      throw new Refusal(422, { ...alpacaRejections.malformed, message: 'invalid crypto time_in_force' })
    if (!Number.isInteger(Number(body.qty)) && body.time_in_force !== 'day' && assetClass !== 'crypto')
      throw new Refusal(422, {
        ...alpacaRejections.malformed,
        message: 'fractional orders must be DAY orders',
      })
    this.#requireShares(body)
    this.#requireNoWashTrade(body)
    return this.take({ ...body, client_order_id: clientOrderId }, assetClass)
  }

  /** Takes an order without asking whether it may be taken. */
  take(body: OrderBody & { client_order_id: string }, assetClass = 'us_equity'): BookedOrder {
    const at = this.#text()
    const order = alpacaOrder({
      id: randomUUID(),
      client_order_id: body.client_order_id,
      created_at: at,
      updated_at: at,
      submitted_at: at,
      symbol: body.symbol,
      asset_class: assetClass,
      qty: body.qty,
      type: body.type,
      order_type: body.type,
      side: body.side,
      position_intent: body.position_intent ?? (body.side === 'buy' ? 'buy_to_open' : 'sell_to_close'),
      time_in_force: body.time_in_force,
      limit_price: body.limit_price ?? null,
      stop_price: body.stop_price ?? null,
      extended_hours: body.extended_hours ?? false,
      status: 'new',
    }) as unknown as BookedOrder
    this.orders.push(order)
    return order
  }

  /** Executes shares of an order, of one that has ended too: that is a late fill. */
  execute(order: BookedOrder, qty: Decimal, price: Decimal): Execution {
    const before = this.executions.filter(({ orderId }) => orderId === order.id)
    const cumQty = add(order.filled_qty, qty)
    const execution: Execution = {
      id: randomUUID(),
      orderId: order.id,
      symbol: order.symbol,
      side: order.side as 'buy' | 'sell',
      qty,
      price,
      cumQty,
      at: Math.max(this.#now(), (before.at(-1)?.at ?? 0) + 1),
    }
    this.executions.push(execution)
    order.filled_qty = cumQty
    order.filled_avg_price = this.#average(order)
    order.filled_at = new Date(execution.at).toISOString()
    if (compare(cumQty, order.qty) >= 0) order.status = 'filled'
    else if (isWorking(order))
      order.status = order.status === 'pending_cancel' ? order.status : 'partially_filled'
    order.updated_at = order.filled_at
    return execution
  }

  /** Ends an order, whoever wants that. */
  end(order: BookedOrder, status: 'canceled' | 'expired' | 'rejected'): void {
    order.status = status
    order.updated_at = this.#text()
    const field = ({ canceled: 'canceled_at', expired: 'expired_at', rejected: 'failed_at' } as const)[status]
    order[field] = order.updated_at
  }

  #average(order: BookedOrder): Decimal | null {
    const own = this.executions.filter(({ orderId }) => orderId === order.id)
    const shares = own.reduce<Decimal>((sum, { qty }) => add(sum, qty), '0')
    if (isZero(shares)) return null
    const value = own.reduce<Decimal>((sum, { qty, price }) => add(sum, multiply(qty, price)), '0')
    return divideDown(value, shares, AVERAGE_PLACES)
  }

  /** Shares of a long position that no order holds; of a short one, those that none is to buy back. */
  #available(symbol: string): Decimal {
    const held = this.held(symbol)
    const side = isPositive(held) ? 'sell' : 'buy'
    const reserved = this.orders
      .filter((order) => order.symbol === symbol && order.side === side && isWorking(order))
      .reduce<Decimal>((sum, order) => add(sum, subtract(order.qty, order.filled_qty)), '0')
    return side === 'sell' ? subtract(held, reserved) : add(held, reserved)
  }

  #requireShares({ symbol, side, qty, position_intent: intent }: OrderBody): void {
    if (intent !== 'sell_to_close' && intent !== 'buy_to_close') return
    const available = this.#available(symbol)
    const free = side === 'sell' ? available : negate(available)
    if (compare(free, qty) >= 0) return
    const holders = this.orders.filter(
      (order) => order.symbol === symbol && order.side === side && isWorking(order),
    )
    throw new Refusal(403, {
      ...alpacaRejections.held,
      message: `insufficient qty available for order (requested: ${qty}, available: ${free})`,
      available: free,
      existing_qty: this.held(symbol),
      held_for_orders: subtract(this.held(symbol), available),
      related_orders: holders.map(({ id }) => id),
      symbol,
    })
  }

  #requireNoWashTrade({ symbol, side, type, limit_price: limit }: OrderBody): void {
    const opposite = this.orders.find(
      (order) =>
        order.symbol === symbol &&
        order.side !== side &&
        isWorking(order) &&
        (type !== 'limit' ||
          order.type !== 'limit' ||
          (side === 'buy'
            ? Number(limit) >= Number(order.limit_price)
            : Number(limit) <= Number(order.limit_price))),
    )
    if (opposite) throw new Refusal(403, { ...alpacaRejections.washTrade, existing_order_id: opposite.id })
  }

  #text = (): string => new Date(this.#now()).toISOString()
}
