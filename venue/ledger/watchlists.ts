import type { Ledger } from './database.ts'

export interface VenueWatchlist {
  id: string
  accountId: string
  name: string
  symbols: string[]
  /** Epoch milliseconds. */
  createdAt: number
  updatedAt: number
}

export class WatchlistStore {
  readonly #save
  readonly #ofAccount
  readonly #delete

  constructor({ database }: Ledger) {
    this.#save = database.prepare(`
      INSERT INTO watchlists (id, accountId, name, symbols, createdAt, updatedAt)
      VALUES (:id, :accountId, :name, :symbols, :createdAt, :updatedAt)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, symbols = excluded.symbols, updatedAt = excluded.updatedAt`)
    this.#ofAccount = database.prepare(
      'SELECT * FROM watchlists WHERE accountId = ? ORDER BY createdAt, rowid',
    )
    this.#delete = database.prepare('DELETE FROM watchlists WHERE id = ?')
  }

  save(watchlist: VenueWatchlist): void {
    this.#save.run({ ...watchlist, symbols: JSON.stringify(watchlist.symbols) })
  }

  listOf(accountId: string): VenueWatchlist[] {
    return this.#ofAccount.all(accountId).map((row) => {
      const symbols = JSON.parse(row['symbols'] as string) as string[]
      return { ...row, symbols } as unknown as VenueWatchlist
    })
  }

  delete(id: string): void {
    this.#delete.run(id)
  }
}
