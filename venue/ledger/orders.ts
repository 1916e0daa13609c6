import type { Decimal } from '#domain/decimal.ts'
import type { Ledger } from './database.ts'

export type VenueSide = 'buy' | 'sell'
type VenueOrderType = 'market' | 'limit' | 'stop' | 'stop_limit'
type VenueTimeInForce = 'day' | 'gtc' | 'opg' | 'cls' | 'ioc' | 'fok'
export type PositionIntent = 'buy_to_open' | 'buy_to_close' | 'sell_to_open' | 'sell_to_close'
type VenueOrderStatus =
  | 'accepted'
  | 'pending_new'
  | 'new'
  | 'partially_filled'
  | 'pending_cancel'
  | 'filled'
  | 'canceled'
  | 'expired'
  | 'rejected'

/** The order as accepted, never changed afterwards. Prices are dollars a share, instants epoch milliseconds. */
export interface OrderTerms {
  id: string
  accountId: string
  clientOrderId: string
  symbol: string
  side: VenueSide
  positionIntent: PositionIntent
  type: VenueOrderType
  timeInForce: VenueTimeInForce
  /** Shares; null for an order in dollars. */
  qty: Decimal | null
  /** Dollars; null for an order in shares. */
  notional: Decimal | null
  limitPrice: Decimal | null
  stopPrice: Decimal | null
  extendedHours: boolean
  /** Dollars a share that the open part holds of the buying power; null for an order that closes a position. */
  reservePrice: Decimal | null
  createdAt: number
  /** From when the order may trade: now, or the session or auction for which it waits. */
  activeAt: number
  expiresAt: number
}

/** The fields of an order that change during its life. */
export interface OrderState {
  status: VenueOrderStatus
  filledQty: Decimal
  /** Dollars over all fills. */
  filledValue: Decimal
  updatedAt: number
  filledAt: number | null
  expiredAt: number | null
  canceledAt: number | null
  failedAt: number | null
  /** When the order ended, in whatever way; null while it works. */
  closedAt: number | null
  /** When a stop was reached. */
  triggeredAt: number | null
}

/** The results of fault rules for the order; all null in ordinary trading. */
export interface OrderConduct {
  /** Not found by client order id before this instant. */
  lookupFrom: number | null
  /** Not filled before this instant. */
  fillableFrom: number | null
  /** The first fill takes so many shares and the rest is held until `heldUntil`, or for good. */
  firstFillQty: Decimal | null
  heldUntil: number | null
  /** Rejected after its acceptance, at this instant and in these words. */
  rejectAt: number | null
  rejectReason: string | null
  /** A requested cancel takes effect at this instant. */
  cancelAt: number | null
  /** Filled at this instant, although a cancel was requested or done. */
  forcedFillAt: number | null
}

export type VenueOrder = OrderTerms & OrderState & OrderConduct

export const NO_CONDUCT: OrderConduct = {
  lookupFrom: null,
  fillableFrom: null,
  firstFillQty: null,
  heldUntil: null,
  rejectAt: null,
  rejectReason: null,
  cancelAt: null,
  forcedFillAt: null,
}

/** Which orders a list asks for; instants in epoch milliseconds. */
export interface OrderQuery {
  status: 'open' | 'closed' | 'all'
  /** Created after, created before; both exclusive. */
  after: number | null
  until: number | null
  direction: 'asc' | 'desc'
  limit: number
  symbols: readonly string[]
  side: VenueSide | null
}

const TERMS_COLUMNS = [
  'id',
  'accountId',
  'clientOrderId',
  'symbol',
  'side',
  'positionIntent',
  'type',
  'timeInForce',
  'qty',
  'notional',
  'limitPrice',
  'stopPrice',
  'extendedHours',
  'reservePrice',
  'createdAt',
  'activeAt',
  'expiresAt',
] as const satisfies (keyof OrderTerms)[]
const CHANGING_COLUMNS = [
  'status',
  'filledQty',
  'filledValue',
  'updatedAt',
  'filledAt',
  'expiredAt',
  'canceledAt',
  'failedAt',
  'closedAt',
  'triggeredAt',
  'rejectReason',
  'lookupFrom',
  'fillableFrom',
  'firstFillQty',
  'heldUntil',
  'rejectAt',
  'cancelAt',
  'forcedFillAt',
] as const satisfies (keyof OrderState | keyof OrderConduct)[]
const ALL_COLUMNS = [...TERMS_COLUMNS, ...CHANGING_COLUMNS]

type OrderRow = Omit<VenueOrder, 'extendedHours'> & { extendedHours: 0 | 1; seq: number }

export class OrderStore {
  readonly #ledger: Ledger
  readonly #insert
  readonly #update
  readonly #byId
  readonly #byClientOrderId
  readonly #workingOfAccount
  readonly #unsettled

  constructor(ledger: Ledger) {
    this.#ledger = ledger
    const { database } = ledger
    this.#insert = database.prepare(
      `INSERT INTO orders (${ALL_COLUMNS.join(', ')}) VALUES (${ALL_COLUMNS.map((name) => `:${name}`).join(', ')})`,
    )
    this.#update = database.prepare(
      `UPDATE orders SET ${CHANGING_COLUMNS.map((name) => `${name} = :${name}`).join(', ')} WHERE id = :id`,
    )
    this.#byId = database.prepare('SELECT * FROM orders WHERE accountId = ? AND id = ?')
    this.#byClientOrderId = database.prepare('SELECT * FROM orders WHERE accountId = ? AND clientOrderId = ?')
    this.#workingOfAccount = database.prepare(
      'SELECT * FROM orders WHERE accountId = ? AND closedAt IS NULL ORDER BY seq',
    )
    this.#unsettled = database.prepare(
      'SELECT * FROM orders WHERE closedAt IS NULL OR forcedFillAt IS NOT NULL ORDER BY seq',
    )
  }

  insert(order: VenueOrder): void {
    const values = Object.fromEntries(ALL_COLUMNS.map((name) => [name, order[name]]))
    this.#insert.run({ ...values, extendedHours: order.extendedHours ? 1 : 0 } as Record<
      string,
      string | number
    >)
  }

  /** Writes what may change of an order. */
  update(order: VenueOrder): void {
    const values = Object.fromEntries(CHANGING_COLUMNS.map((name) => [name, order[name]]))
    this.#update.run({ ...values, id: order.id } as Record<string, string | number>)
  }

  find(accountId: string, id: string): VenueOrder | null {
    return toOrder(this.#byId.get(accountId, id))
  }

  findByClientOrderId(accountId: string, clientOrderId: string): VenueOrder | null {
    return toOrder(this.#byClientOrderId.get(accountId, clientOrderId))
  }

  /** The account's orders that have not ended, oldest first. */
  workingOf(accountId: string): VenueOrder[] {
    return this.#workingOfAccount.all(accountId).map((row) => toOrder(row)!)
  }

  /** Every order of the venue to which something may still happen, oldest first. */
  unsettled(): VenueOrder[] {
    return this.#unsettled.all().map((row) => toOrder(row)!)
  }

  list(accountId: string, query: OrderQuery): VenueOrder[] {
    const conditions = ['accountId = ?']
    const values: (string | number)[] = [accountId]
    const where = (condition: string, ...bound: (string | number)[]) => {
      conditions.push(condition)
      values.push(...bound)
    }
    if (query.status !== 'all') where(`closedAt IS ${query.status === 'open' ? 'NULL' : 'NOT NULL'}`)
    if (query.after !== null) where('createdAt > ?', query.after)
    if (query.until !== null) where('createdAt < ?', query.until)
    if (query.side !== null) where('side = ?', query.side)
    if (query.symbols.length > 0) {
      where(`symbol IN (${query.symbols.map(() => '?').join(', ')})`, ...query.symbols)
    }
    const order = query.direction === 'asc' ? 'ASC' : 'DESC'
    return this.#ledger.database
      .prepare(
        `SELECT * FROM orders WHERE ${conditions.join(' AND ')} ORDER BY createdAt ${order}, seq ${order} LIMIT ?`,
      )
      .all(...values, query.limit)
      .map((row) => toOrder(row)!)
  }
}

function toOrder(row: unknown): VenueOrder | null {
  if (row === undefined) return null
  const { seq: _, ...order } = row as OrderRow
  return { ...order, extendedHours: order.extendedHours === 1 }
}
