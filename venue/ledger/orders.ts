import type { Decimal } from '#domain/decimal.ts'
import type { Ledger } from './database.ts'

export type VenueSide = 'buy' | 'sell'
type VenueOrderType = 'market' | 'limit' | 'stop' | 'stop_limit' | 'trailing_stop'
/** '' is an order by itself. The orders of one of the other classes are a group. */
type OrderClass = '' | 'bracket' | 'oco' | 'oto'
/** The part that an order has in its group: it opens the position, or closes it at the one level or the other. */
export type GroupRole = 'entry' | 'takeProfit' | 'stopLoss'
type VenueTimeInForce = 'day' | 'gtc' | 'opg' | 'cls' | 'ioc' | 'fok'
export type PositionIntent = 'buy_to_open' | 'buy_to_close' | 'sell_to_open' | 'sell_to_close'
type VenueOrderStatus =
  | 'accepted'
  | 'pending_new'
  | 'new'
  | 'held'
  | 'partially_filled'
  | 'pending_cancel'
  | 'pending_replace'
  | 'filled'
  | 'canceled'
  | 'expired'
  | 'rejected'
  | 'replaced'

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
  /** Dollars; null for an order in shares. */
  notional: Decimal | null
  limitPrice: Decimal | null
  /** How far a trailing stop follows behind the price: dollars a share, or percent of the price. */
  trailPrice: Decimal | null
  trailPercent: Decimal | null
  extendedHours: boolean
  orderClass: OrderClass
  /** Shared by the orders of one class; null for an order by itself. */
  groupId: string | null
  role: GroupRole | null
  /** The order whose place this one took. */
  replaces: string | null
  /** The client order id that its sender gave the first order of this group or chain; null for that order itself. */
  senderOrderId: string | null
  /** Dollars a share that the open part holds of the buying power; null for an order that closes a position. */
  reservePrice: Decimal | null
  createdAt: number
  /** From when the order may trade: now, or the session or auction for which it waits. */
  activeAt: number
  expiresAt: number
}

/** The fields of an order that change during its life. */
interface OrderState {
  status: VenueOrderStatus
  /** Shares; null for an order in dollars. A partial fill of the other level of the group takes from it. */
  qty: Decimal | null
  /** That of a trailing stop moves. */
  stopPrice: Decimal | null
  /** The best price since a trailing stop began: the highest for a sale, the lowest for a purchase. */
  hwm: Decimal | null
  /** It is held until the entry of its group has filled, or until its stop is reached; null for an order that may trade. */
  waitsFor: 'entry' | 'trigger' | null
  filledQty: Decimal
  /** Dollars over all fills. */
  filledValue: Decimal
  updatedAt: number
  filledAt: number | null
  expiredAt: number | null
  canceledAt: number | null
  failedAt: number | null
  replacedAt: number | null
  /** The order that took its place. */
  replacedBy: string | null
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

/** The client order id by which fault rules know an order. */
export const knownToRulesAs = ({ senderOrderId, clientOrderId }: VenueOrder): string =>
  senderOrderId ?? clientOrderId

/** An order of a class that others hang on: clients see them as its legs. */
export const isParent = ({ role, orderClass }: Pick<VenueOrder, 'role' | 'orderClass'>): boolean =>
  role === 'entry' || (orderClass === 'oco' && role === 'takeProfit')

/** The order was to take the place of another one, which filled first. */
export const hasFailedToReplace = ({ replaces, status }: Pick<VenueOrder, 'replaces' | 'status'>): boolean =>
  replaces !== null && status === 'rejected'

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
  /** Lists the orders that others hang on in their place; by itself each is listed. */
  nested?: boolean
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
  'notional',
  'limitPrice',
  'trailPrice',
  'trailPercent',
  'extendedHours',
  'orderClass',
  'groupId',
  'role',
  'replaces',
  'senderOrderId',
  'reservePrice',
  'createdAt',
  'activeAt',
  'expiresAt',
] as const satisfies (keyof OrderTerms)[]
const CHANGING_COLUMNS = [
  'status',
  'qty',
  'stopPrice',
  'hwm',
  'waitsFor',
  'filledQty',
  'filledValue',
  'updatedAt',
  'filledAt',
  'expiredAt',
  'canceledAt',
  'failedAt',
  'replacedAt',
  'replacedBy',
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

/** As {@link isParent} says. */
const IS_PARENT = `(role = 'entry' OR (orderClass = 'oco' AND role = 'takeProfit'))`
/** An entry that has filled is an open order for as long as one of its legs is. */
const HAS_OPEN_LEG = `(replacedBy IS NULL AND EXISTS (
  SELECT 1 FROM orders leg WHERE leg.groupId = orders.groupId AND leg.replacedBy IS NULL AND leg.closedAt IS NULL))`

type OrderRow = Omit<VenueOrder, 'extendedHours'> & { extendedHours: 0 | 1; seq: number }

export class OrderStore {
  readonly #ledger: Ledger
  readonly #insert
  readonly #update
  readonly #byId
  readonly #byClientOrderId
  readonly #workingOfAccount
  readonly #unsettled
  readonly #group

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
    this.#group = database.prepare(
      'SELECT * FROM orders WHERE groupId = ? AND replacedBy IS NULL ORDER BY seq',
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

  /** The orders of a group but those that were replaced, oldest first. */
  group(groupId: string): VenueOrder[] {
    return this.#group.all(groupId).map((row) => toOrder(row)!)
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
    if (query.nested) where(`(groupId IS NULL OR ${IS_PARENT})`)
    if (query.status === 'closed') where('closedAt IS NOT NULL')
    if (query.status === 'open')
      where(query.nested ? `(closedAt IS NULL OR ${HAS_OPEN_LEG})` : 'closedAt IS NULL')
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
