import { Migration } from '@mikro-orm/migrations'

/** Indexes for the list of trades, as 0010 made them for other lists, and for manual orders. */
export class MoreListIndexes extends Migration {
  override up(): void {
    const trades = (column: string, condition = '') =>
      `create index trades_${column}_newest on trades (user_id, ${column}, entry_at desc, id desc) ${condition}`
    this.addSql(trades('account_id'))
    this.addSql(trades('symbol'))
    this.addSql(trades('strategy_id', 'where strategy_id is not null'))
    // Few of all are open; the closed ones are found by walking the list itself.
    this.addSql(
      `create index trades_open_newest on trades (user_id, entry_at desc, id desc) where status = 'OPEN'`,
    )
    this.addSql(
      `create index orders_manual_newest on orders (user_id, created_at desc, id desc) where role = 'manual'`,
    )
  }
}
