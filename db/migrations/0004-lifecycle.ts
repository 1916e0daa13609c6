import { Migration } from '@mikro-orm/migrations'

/**
 * The order of acceptance, and which signals still have an entry under way: what later signals wait for. And the
 * decisions that must come out the same when they are asked for again.
 */
export class Lifecycle extends Migration {
  override up(): void {
    this.addSql(`
      alter table signals
        add column sequence bigint generated always as identity,
        add column entry_ended_at timestamptz,
        add column decisions jsonb not null default '{}'`)
    // Orders that ended before this column was there.
    this.addSql(`
      update signals set entry_ended_at = o.updated_at from orders o
      where o.id = signals.order_id and o.status in ('FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED')`)
    this.addSql(`
      create index signals_entry_under_way on signals (account_id, symbol, sequence) where entry_ended_at is null
        and status in ('queued', 'transmitted', 'executed')`)
  }
}
