import { Migration } from '@mikro-orm/migrations'

/** Until when an order is good that is good till a date. */
export class OrderExpiry extends Migration {
  override up(): void {
    this.addSql('alter table orders add column expires_at timestamptz')
  }
}
