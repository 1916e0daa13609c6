import { Migration } from '@mikro-orm/migrations'

/** How many orders an account has sent lately: its owner is told when a signal is only tried. */
export class VisibleOrderRates extends Migration {
  override up(): void {
    this.addSql(`grant select on order_rates to durable_trader_member`)
    this.addSql(`alter table order_rates enable row level security`)
    this.addSql(`
      create policy own_rows on order_rates for select to durable_trader_member
      using (exists (select from accounts a where a.id = account_id))`)
  }
}
