import type { Decimal } from '#domain/decimal.ts'
import type { Ledger } from './database.ts'

/** margin: may borrow and sell short. cash: may spend only its own cash. */
export type AccountType = 'margin' | 'cash'

export interface VenueAccount {
  id: string
  keyId: string
  secretKey: string
  type: AccountType
  /** Dollars; negative when borrowed. */
  cash: Decimal
  openingCash: Decimal
  /** Equity when the last trading day ended. */
  lastEquity: Decimal
  /** The trading day (local date) that `lastEquity` precedes. */
  tradingDay: string
  createdAt: number
}

export class AccountStore {
  readonly #insert
  readonly #byKey
  readonly #byId
  readonly #all
  readonly #setCash
  readonly #setSecret
  readonly #startDay

  constructor({ database }: Ledger) {
    this.#insert = database.prepare(`
      INSERT INTO accounts (id, keyId, secretKey, type, cash, openingCash, lastEquity, tradingDay, createdAt)
      VALUES (:id, :keyId, :secretKey, :type, :cash, :openingCash, :lastEquity, :tradingDay, :createdAt)`)
    this.#byKey = database.prepare('SELECT * FROM accounts WHERE keyId = ?')
    this.#byId = database.prepare('SELECT * FROM accounts WHERE id = ?')
    this.#all = database.prepare('SELECT * FROM accounts ORDER BY createdAt, rowid')
    this.#setCash = database.prepare('UPDATE accounts SET cash = ? WHERE id = ?')
    this.#setSecret = database.prepare('UPDATE accounts SET secretKey = ? WHERE id = ?')
    this.#startDay = database.prepare('UPDATE accounts SET lastEquity = ?, tradingDay = ? WHERE id = ?')
  }

  insert(account: VenueAccount): void {
    this.#insert.run({ ...account })
  }

  findByKey(keyId: string): VenueAccount | null {
    return (this.#byKey.get(keyId) as VenueAccount | undefined) ?? null
  }

  /** The account as it stands now. Throws for an unknown id: ids come from other rows. */
  get(id: string): VenueAccount {
    const account = this.#byId.get(id) as VenueAccount | undefined
    if (!account) throw new Error(`No account ${id}`)
    return account
  }

  list(): VenueAccount[] {
    return this.#all.all() as unknown as VenueAccount[]
  }

  setSecret(id: string, secretKey: string): void {
    this.#setSecret.run(secretKey, id)
  }

  setCash(id: string, cash: Decimal): void {
    this.#setCash.run(cash, id)
  }

  startTradingDay(id: string, tradingDay: string, lastEquity: Decimal): void {
    this.#startDay.run(lastEquity, tradingDay, id)
  }
}
