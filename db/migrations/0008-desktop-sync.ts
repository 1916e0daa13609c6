import { Migration } from '@mikro-orm/migrations'

/** Companions ask every second for what has changed. */
export class DesktopSync extends Migration {
  override up(): void {
    this.addSql(`create index signals_changed on signals (user_id, updated_at, id)`)
    this.addSql(`create index orders_changed on orders (user_id, updated_at, id)`)
  }
}
