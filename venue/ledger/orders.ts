import type { Decimal } from '#domain/money/decimal.ts'
import type { Ledger } from './database.ts'

export type VenueSide = 'buy' | 'sell'
type VenueOrderType = 'market' | 'limit' | 'stop' | 'stop_limit' | 'trailing_stop'
type OrderClass = '' | 'bracket' | 'oco' | 'oto'
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

/** Accepted terms, which never change. Dollars a share; epoch milliseconds. */
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
  /** Distance of a trailing stop: dollars a share, or percent of the price. */
  trailPrice: Decimal | null
  trailPercent: Decimal | null
  extendedHours: boolean
  orderClass: OrderClass
  /** Null for a single order. */
  groupId: string | null
  role: GroupRole | null
  replaces: string | null
  /** The sender's client order id of the first order of this group or chain; null for that order. */
  senderOrderId: string | null
  /** Dollars a share of buying power held by the open part; null for a closing order. */
  reservePrice: Decimal | null
  createdAt: number
  /** Creation, or the awaited session or auction. */
  activeAt: number
  expiresAt: number
}

interface OrderState {
  status: VenueOrderStatus
  /** Shares; null for an order in dollars. Fills of the other level reduce it. */
  qty: Decimal | null
  stopPrice: Decimal | null
  /** Best price since a trailing stop began: highest for a sale, lowest for a purchase. */
  hwm: Decimal | null
  /** Waits for the fill of the entry, or for the stop price; null: it may trade. */
  waitsFor: 'entry' | 'trigger' | null
  filledQty: Decimal
  filledValue: Decimal
  updatedAt: number
  filledAt: number | null
  expiredAt: number | null
  canceledAt: number | null
  failedAt: number | null
  replacedAt: number | null
  replacedBy: string | null
  /** Null while it works. */
  closedAt: number | null
  triggeredAt: number | null
}

/** Fault rules' conduct; null in ordinary trading. */
export interface OrderConduct {
  /** Instant before which look-ups by client order id fail. */
  lookupFrom: number | null
  fillableFrom: number | null
  /** Quantity of the first fill; the rest waits until `heldUntil`, or forever. */
  firstFillQty: Decimal | null
  heldUntil: number | null
  rejectAt: number | null
  rejectReason: string | null
  /** Instant at which a requested cancel takes effect. */
  cancelAt: number | null
  /** Instant of a fill despite a requested or completed cancel. */
  forcedFillAt: number | null
}

export type VenueOrder = OrderTerms & OrderState & OrderConduct

export const knownToRulesAs = ({ senderOrderId, clientOrderId }: VenueOrder): string =>
  senderOrderId ?? clientOrderId

export const isParent = ({ role, orderClass }: Pick<VenueOrder, 'role' | 'orderClass'>): boolean =>
  role === 'entry' || (orderClass === 'oco' && role === 'takeProfit')

/** The order to replace filled first. */
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

export interface OrderQuery {
  status: 'open' | 'closed' | 'all'
  /** Both exclusive. */
  after?: number | undefined
  until?: number | undefined
  direction: 'asc' | 'desc'
  limit: number
  symbols?: readonly string[]
  side?: VenueSide | undefined
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
  ...(Object.keys(NO_CONDUCT) as (keyof OrderConduct)[]),
] as const satisfies (keyof OrderState | keyof OrderConduct)[]
const ALL_COLUMNS = [...TERMS_COLUMNS, ...CHANGING_COLUMNS]

const IS_PARENT = `(role = 'entry' OR (orderClass = 'oco' AND role = 'takeProfit'))`
/** A filled entry is open while a leg is. */
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
    const where = (condition: string) =>
      database.prepare(`SELECT * FROM orders WHERE ${condition} ORDER BY seq`)
    this.#workingOfAccount = where('accountId = ? AND closedAt IS NULL')
    this.#group = where('groupId = ? AND replacedBy IS NULL')
    this.#unsettled = where('closedAt IS NULL OR forcedFillAt IS NOT NULL')
  }

  insert(order: VenueOrder): void {
    const values = Object.fromEntries(ALL_COLUMNS.map((name) => [name, order[name]]))
    this.#insert.run({ ...values, extendedHours: order.extendedHours ? 1 : 0 } as Record<
      string,
      string | number
    >)
  }

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

  workingOf(accountId: string): VenueOrder[] {
    return this.#workingOfAccount.all(accountId).map((row) => toOrder(row)!)
  }

  group(groupId: string): VenueOrder[] {
    return this.#group.all(groupId).map((row) => toOrder(row)!)
  }

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
    if (query.after !== undefined) where('createdAt > ?', query.after)
    if (query.until !== undefined) where('createdAt < ?', query.until)
    if (query.side !== undefined) where('side = ?', query.side)
    if (query.symbols?.length)
      where(`symbol IN (${query.symbols.map(() => '?').join(', ')})`, ...query.symbols)
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
