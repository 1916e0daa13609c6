import { Migration } from '@mikro-orm/migrations'

/** Since when the ledger knows of an order; `created_at` is when it came to its broker. */
export class OrdersKnown extends Migration {
  override up(): void {
    this.addSql('alter table orders add column known_at timestamptz not null default now()')
    this.addSql('update orders set known_at = created_at')
  }
}
