import { Migration } from '@mikro-orm/migrations'

/** When the broker ended an order, from which exits at a clock time are timed. */
export class OrderEnds extends Migration {
  override up(): void {
    this.addSql('alter table orders add column ended_at timestamptz')
  }
}
