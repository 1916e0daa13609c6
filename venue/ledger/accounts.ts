import type { Decimal } from '#domain/money/decimal.ts'
import type { Ledger } from './database.ts'

/** margin: may borrow and sell short. cash: spends only its own cash. */
export type AccountType = 'margin' | 'cash'

/** Alpaca's names. The first four bind; others are only stored. */
export interface AccountConfiguration {
  no_shorting: boolean
  suspend_trade: boolean
  fractional_trading: boolean
  /** Multiple of a margin account's equity; more than 2 is 2 here. */
  max_margin_multiplier: '1' | '2' | '4'
  trade_confirm_email: 'all' | 'none'
  ptp_no_exception_entry: boolean
  disable_overnight_trading: boolean
  max_options_trading_level: 0 | 1 | 2 | 3 | null
}

export const USUAL_CONFIGURATION: AccountConfiguration = {
  no_shorting: false,
  suspend_trade: false,
  fractional_trading: true,
  max_margin_multiplier: '4',
  trade_confirm_email: 'all',
  ptp_no_exception_entry: false,
  disable_overnight_trading: false,
  max_options_trading_level: null,
}

export interface VenueAccount {
  id: string
  keyId: string
  secretKey: string
  type: AccountType
  /** Dollars; negative when borrowed. */
  cash: Decimal
  openingCash: Decimal
  /** Equity at the end of the last trading day. */
  lastEquity: Decimal
  /** Local date that `lastEquity` precedes. */
  tradingDay: string
  createdAt: number
  configuration: AccountConfiguration
}

export class AccountStore {
  readonly #insert
  readonly #byKey
  readonly #byId
  readonly #all
  readonly #setCash
  readonly #setSecret
  readonly #startDay
  readonly #configure

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
    this.#configure = database.prepare('UPDATE accounts SET configuration = ? WHERE id = ?')
  }

  insert({ configuration, ...account }: VenueAccount): void {
    this.#insert.run(account)
    this.configure(account.id, configuration)
  }

  configure(id: string, configuration: AccountConfiguration): void {
    this.#configure.run(JSON.stringify(configuration), id)
  }

  findByKey(keyId: string): VenueAccount | null {
    const row = this.#byKey.get(keyId)
    return row ? accountOf(row) : null
  }

  /** Throws for an unknown id: ids come from other rows. */
  get(id: string): VenueAccount {
    const row = this.#byId.get(id)
    if (!row) throw new Error(`No account ${id}`)
    return accountOf(row)
  }

  list(): VenueAccount[] {
    return this.#all.all().map(accountOf)
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

function accountOf(row: Record<string, unknown>): VenueAccount {
  const configuration = JSON.parse(row['configuration'] as string) as Partial<AccountConfiguration>
  return { ...row, configuration: { ...USUAL_CONFIGURATION, ...configuration } } as VenueAccount
}
