import { Migration } from '@mikro-orm/migrations'

/**
 * An index for each filter of a list, in the list's own order: a page is the beginning of a range, and counting walks
 * the index alone. Filters together use the one that finds fewest.
 */
export class ListIndexes extends Migration {
  override up(): void {
    // With the owner in it, it answers the list of an account by itself; risk checks look by the account alone.
    this.addSql(`drop index signals_account_newest`)
    this.addSql(
      `create index signals_account_newest on signals (account_id, accepted_at desc, id desc) include (user_id)`,
    )
    const signals = (column: string, condition = '') =>
      `create index signals_${column}_newest on signals (user_id, ${column}, accepted_at desc, id desc) ${condition}`
    this.addSql(signals('symbol'))
    this.addSql(signals('status'))
    this.addSql(signals('strategy_id', 'where strategy_id is not null'))
    this.addSql(signals('source_id', 'where source_id is not null'))
    // Nearly all are immediate; those are found by walking the list itself.
    this.addSql(signals('execute_mode', `where execute_mode <> 'immediate'`))

    const orders = (column: string) =>
      `create index orders_${column}_newest on orders (user_id, ${column}, created_at desc, id desc)`
    this.addSql(orders('account_id'))
    this.addSql(orders('symbol'))
    this.addSql(orders('status'))

    this.addSql(
      `create index alerts_open_newest on alerts (user_id, raised_at desc, id desc) where resolved_at is null`,
    )
    this.addSql(`create index alerts_account_newest on alerts (user_id, account_id, raised_at desc, id desc)`)
    this.addSql(`create index alerts_kind_newest on alerts (user_id, kind, raised_at desc, id desc)`)
    this.addSql(`create index alerts_of_signal on alerts (user_id, signal_id) where signal_id is not null`)

    this.addSql(`create index users_oldest on users (created_at, id)`)
  }
}
