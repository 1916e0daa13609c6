import type { Decimal } from '#domain/money/decimal.ts'
import { DAY_MS } from '#domain/time/instants.ts'
import type { Ledger } from './database.ts'

export interface NotedEquity {
  at: number
  equity: Decimal
}

/** Milliseconds; older days keep only the last minute. */
const MINUTES_KEPT_MS = 31 * DAY_MS

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

  /** Stores only a changed equity. `day`: date in New York. */
  note(accountId: string, { at, day, equity }: NotedEquity & { day: string }): void {
    const last = this.#last.get(accountId) as { equity: Decimal } | undefined
    if (last?.equity !== equity) this.#insert.run(accountId, at, day, equity)
  }

  /** Equities from the one valid at `from` on; epoch milliseconds, oldest first. */
  since(accountId: string, from: number): NotedEquity[] {
    return this.#since.all({ accountId, from }) as unknown as NotedEquity[]
  }

  thinOut(accountId: string, now: number): void {
    this.#thinOut.run({ accountId, before: now - MINUTES_KEPT_MS })
  }
}
