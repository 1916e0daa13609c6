import type { Decimal } from '#domain/money/decimal.ts'
import type { Ledger } from './database.ts'
import type { VenueSide } from './orders.ts'

export interface Fill {
  id: string
  orderId: string
  accountId: string
  symbol: string
  side: VenueSide
  qty: Decimal
  /** Dollars a share. */
  price: Decimal
  /** Dollars, besides the price. */
  fee: Decimal
  /** Position after this fill, negative when short. */
  positionQty: Decimal
  at: number
}

export interface VenuePosition {
  accountId: string
  symbol: string
  /** Shares, negative when short, never zero. */
  qty: Decimal
  /** Dollars a share. */
  avgEntryPrice: Decimal
}

export interface Activity {
  kind: 'FILL' | 'FEE'
  fill: Fill
  place: ActivityPlace
}

/** Order by time; the fill before its fee. */
export interface ActivityPlace {
  at: number
  seq: number
  rank: number
}

/** Epoch milliseconds, both exclusive. */
export interface ActivityQuery {
  kinds: readonly Activity['kind'][]
  after?: number | undefined
  until?: number | undefined
  direction: 'asc' | 'desc'
  from: ActivityPlace | null
  limit: number
}

const ACTIVITY_KINDS: readonly Activity['kind'][] = ['FILL', 'FEE']

export class ExecutionStore {
  readonly #ledger: Ledger
  readonly #insertFill
  readonly #fills
  readonly #fillsOfOrder
  readonly #recentFills
  readonly #positions
  readonly #position
  readonly #setPosition
  readonly #clearPosition

  constructor(ledger: Ledger) {
    this.#ledger = ledger
    const { database } = ledger
    this.#insertFill = database.prepare(`
      INSERT INTO fills (id, orderId, accountId, symbol, side, qty, price, fee, positionQty, at)
      VALUES (:id, :orderId, :accountId, :symbol, :side, :qty, :price, :fee, :positionQty, :at)`)
    const columns = 'id, orderId, accountId, symbol, side, qty, price, fee, positionQty, at'
    this.#fillsOfOrder = database.prepare(`SELECT ${columns} FROM fills WHERE orderId = ? ORDER BY seq`)
    this.#fills = database.prepare(`SELECT ${columns} FROM fills WHERE accountId = ? ORDER BY seq`)
    this.#recentFills = database.prepare(
      `SELECT ${columns} FROM fills WHERE accountId = ? ORDER BY seq DESC LIMIT ?`,
    )
    this.#positions = database.prepare('SELECT * FROM positions WHERE accountId = ? ORDER BY symbol')
    this.#position = database.prepare('SELECT * FROM positions WHERE accountId = ? AND symbol = ?')
    this.#setPosition = database.prepare(`
      INSERT INTO positions (accountId, symbol, qty, avgEntryPrice)
      VALUES (:accountId, :symbol, :qty, :avgEntryPrice)
      ON CONFLICT DO UPDATE SET qty = excluded.qty, avgEntryPrice = excluded.avgEntryPrice`)
    this.#clearPosition = database.prepare('DELETE FROM positions WHERE accountId = ? AND symbol = ?')
  }

  insertFill(fill: Fill): void {
    this.#insertFill.run({ ...fill })
  }

  fillsOf(accountId: string): Fill[] {
    return this.#fills.all(accountId) as unknown as Fill[]
  }

  recentFillsOf(accountId: string, limit: number): Fill[] {
    return this.#recentFills.all(accountId, limit) as unknown as Fill[]
  }

  fillsOfOrder(orderId: string): Fill[] {
    return this.#fillsOfOrder.all(orderId) as unknown as Fill[]
  }

  activities(accountId: string, query: ActivityQuery): Activity[] {
    const conditions = [`rank IN (${query.kinds.map((kind) => ACTIVITY_KINDS.indexOf(kind)).join(', ')})`]
    const values: (string | number)[] = [accountId, accountId]
    const where = (condition: string, ...bound: number[]) => {
      conditions.push(condition)
      values.push(...bound)
    }
    const [order, beyond] = query.direction === 'asc' ? ['ASC', '>'] : ['DESC', '<']
    if (query.after !== undefined) where('at > ?', query.after)
    if (query.until !== undefined) where('at < ?', query.until)
    if (query.from !== null)
      where(`(at, seq, rank) ${beyond} (?, ?, ?)`, query.from.at, query.from.seq, query.from.rank)
    return this.#ledger.database
      .prepare(
        `SELECT * FROM (
           SELECT *, 0 AS rank FROM fills WHERE accountId = ?
           UNION ALL SELECT *, 1 AS rank FROM fills WHERE accountId = ? AND fee <> '0')
         WHERE ${conditions.join(' AND ')} ORDER BY at ${order}, seq ${order}, rank ${order} LIMIT ?`,
      )
      .all(...values, query.limit)
      .map((row) => {
        const { seq, rank, ...fill } = row as unknown as Fill & { seq: number; rank: number }
        return { kind: ACTIVITY_KINDS[rank]!, fill, place: { at: fill.at, seq, rank } }
      })
  }

  placeOf(accountId: string, kind: Activity['kind'], fillId: string): ActivityPlace | null {
    const row = this.#ledger.database
      .prepare('SELECT at, seq FROM fills WHERE accountId = ? AND id = ?')
      .get(accountId, fillId) as { at: number; seq: number } | undefined
    return row ? { ...row, rank: ACTIVITY_KINDS.indexOf(kind) } : null
  }

  positionsOf(accountId: string): VenuePosition[] {
    return this.#positions.all(accountId) as unknown as VenuePosition[]
  }

  position(accountId: string, symbol: string): VenuePosition | null {
    return (this.#position.get(accountId, symbol) as unknown as VenuePosition | undefined) ?? null
  }

  setPosition(position: VenuePosition): void {
    this.#setPosition.run({ ...position })
  }

  clearPosition(accountId: string, symbol: string): void {
    this.#clearPosition.run(accountId, symbol)
  }
}
