import type { Decimal } from '#domain/decimal.ts'
import type { Books } from './database.ts'
import type { VenueSide } from './orders.ts'

/** One execution of an order. */
export interface Fill {
  id: string
  orderId: string
  accountId: string
  symbol: string
  side: VenueSide
  /** Shares. */
  qty: Decimal
  /** Dollars a share. */
  price: Decimal
  /** The position after this fill, negative when short. */
  positionQty: Decimal
  /** Epoch milliseconds. */
  at: number
}

/** What an account holds of one symbol. */
export interface VenuePosition {
  accountId: string
  symbol: string
  /** Shares, negative when short, never zero. */
  qty: Decimal
  /** Dollars a share. */
  avgEntryPrice: Decimal
}

/** The fills and the positions that they add up to. */
export class ExecutionBook {
  readonly #insertFill
  readonly #fills
  readonly #recentFills
  readonly #positions
  readonly #position
  readonly #setPosition
  readonly #clearPosition

  constructor({ database }: Books) {
    this.#insertFill = database.prepare(`
      INSERT INTO fills (id, orderId, accountId, symbol, side, qty, price, positionQty, at)
      VALUES (:id, :orderId, :accountId, :symbol, :side, :qty, :price, :positionQty, :at)`)
    const columns = 'id, orderId, accountId, symbol, side, qty, price, positionQty, at'
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

  /** All fills of an account, oldest first. */
  fillsOf(accountId: string): Fill[] {
    return this.#fills.all(accountId) as unknown as Fill[]
  }

  /** The account's last fills, newest first. */
  recentFillsOf(accountId: string, limit: number): Fill[] {
    return this.#recentFills.all(accountId, limit) as unknown as Fill[]
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
