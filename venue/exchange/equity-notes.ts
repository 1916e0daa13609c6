import { round, type Decimal } from '#domain/decimal.ts'
import { MINUTE_MS } from '#domain/time-units.ts'
import type { AccountStore, VenueAccount } from '../ledger/accounts.ts'
import type { Ledger } from '../ledger/database.ts'
import type { EquityStore } from '../ledger/equities.ts'
import type { MarketHours } from '../market-hours.ts'

export interface EquityNotesParts {
  ledger: Ledger
  hours: MarketHours
  accounts: AccountStore
  equities: EquityStore
  /** What an account is worth now, in dollars. */
  equityOf: (account: VenueAccount) => Decimal
}

/** Notes what every account is worth: each minute, for its history, and when the date in New York changes. */
export class EquityNotes {
  readonly #parts: EquityNotesParts
  /** The local date for which every account's opening equity was noted. */
  #tradingDay: string | null = null
  /** The minute for which every account's equity was noted. */
  #minute: number | null = null

  constructor(parts: EquityNotesParts) {
    this.#parts = parts
  }

  /** Notes whatever is due at `now`, epoch milliseconds. */
  tick(now: number): void {
    const { hours, ledger, accounts, equities, equityOf } = this.#parts
    const day = hours.dateAt(now)
    const minute = Math.floor(now / MINUTE_MS)
    if (day === this.#tradingDay && minute === this.#minute) return
    ledger.transaction(() => {
      for (const account of accounts.list()) {
        const equity = round(equityOf(account), 2)
        equities.note(account.id, { at: minute * MINUTE_MS, day, equity })
        if (account.tradingDay === day) continue
        accounts.startTradingDay(account.id, day, equity)
        equities.thinOut(account.id, now)
      }
    })
    this.#tradingDay = day
    this.#minute = minute
  }
}
