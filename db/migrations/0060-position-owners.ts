import { Migration } from '@mikro-orm/migrations'
import { ALERT_KINDS } from '#domain/alert.ts'

/** Whose the shares of a position are: what an order gives way to, and the ways to what the ledger knows of a symbol. */
export class PositionOwners extends Migration {
  override up(): void {
    this.addSql(`alter table alerts drop constraint alerts_kind_check`)
    this.addSql(`
      alter table alerts add constraint alerts_kind_check
        check (kind in (${ALERT_KINDS.map((kind) => `'${kind}'`).join(', ')}))`)
    this.addSql(`alter table orders add column cancelled_for text`)
    this.addSql(
      `create index orders_cancelled_for on orders (account_id, symbol) where cancelled_for is not null`,
    )
    this.addSql(`create index fills_broker_order on fills (account_id, broker_order_id)`)
    this.addSql(`create index trades_open on trades (account_id, symbol) where status = 'OPEN'`)
    this.addSql(`
      create index signals_open_exits on signals (account_id, symbol) where exit_status in ('waiting', 'scheduled')`)
  }
}
