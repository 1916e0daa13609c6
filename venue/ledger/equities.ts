import type { Decimal } from '#domain/decimal.ts'
import { DAY_MS } from '#domain/time-units.ts'
import type { Ledger } from './database.ts'

/** The worth of an account from an instant on, until the next one. */
export interface NotedEquity {
  /** Epoch milliseconds. */
  at: number
  /** Dollars. */
  equity: Decimal
}

/** How long every minute is kept; of older days only the last one is. */
const MINUTES_KEPT_MS = 31 * DAY_MS

/** What accounts were worth. */
export class EquityStore {
  readonly #last
  readonly #insert
  readonly #since
  readonly #thinOut

  constructor({ database }: Ledger) {
    this.#last = database.prepare('SELECT equity FROM equities WHERE accountId = ? ORDER BY at DESC LIMIT 1')
    this.#insert = database.prepare(
      'INSERT OR REPLACE INTO equities (accountId, at, day, equity) VALUES (?, ?, ?, ?)',
    )
    this.#since = database.prepare(`
      SELECT at, equity FROM equities
      WHERE accountId = :accountId AND at >= coalesce(
        (SELECT max(at) FROM equities WHERE accountId = :accountId AND at <= :from), 0)
      ORDER BY at`)
    this.#thinOut = database.prepare(`
      DELETE FROM equities WHERE accountId = :accountId AND at < :before AND EXISTS (
        SELECT 1 FROM equities later
        WHERE later.accountId = equities.accountId AND later.day = equities.day AND later.at > equities.at)`)
  }

  /** Notes a worth that is another one than the last. `day` is the date in New York. */
  note(accountId: string, { at, day, equity }: NotedEquity & { day: string }): void {
    const last = this.#last.get(accountId) as { equity: Decimal } | undefined
    if (last?.equity !== equity) this.#insert.run(accountId, at, day, equity)
  }

  /** The one that held at an instant, epoch milliseconds, and all after it, oldest first. */
  since(accountId: string, from: number): NotedEquity[] {
    return this.#since.all({ accountId, from }) as unknown as NotedEquity[]
  }

  /** Leaves of days long past the last worth only. */
  thinOut(accountId: string, now: number): void {
    this.#thinOut.run({ accountId, before: now - MINUTES_KEPT_MS })
  }
}
