import { round, type Decimal } from '#domain/money/decimal.ts'
import { MINUTE_MS } from '#domain/time/instants.ts'
import type { AccountStore, VenueAccount } from '../ledger/accounts.ts'
import type { Ledger } from '../ledger/database.ts'
import type { EquityStore } from '../ledger/equities.ts'
import type { MarketHours } from '../market-hours.ts'

export interface EquityNotesParts {
  ledger: Ledger
  hours: MarketHours
  accounts: AccountStore
  equities: EquityStore
  equityOf: (account: VenueAccount) => Decimal
}

export class EquityNotes {
  readonly #parts: EquityNotesParts
  #tradingDay: string | null = null
  #minute: number | null = null

  constructor(parts: EquityNotesParts) {
    this.#parts = parts
  }

  /** Epoch milliseconds. */
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
