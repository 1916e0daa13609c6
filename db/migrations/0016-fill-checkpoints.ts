import { Migration } from '@mikro-orm/migrations'

/** Where the trades of a symbol can be worked out further from, without going back to where nothing was held. */
export class FillCheckpoints extends Migration {
  override up(): void {
    this.addSql(`drop index fills_flat`)
    this.addSql(`alter table fills drop column flat_after, add column checkpoint jsonb`)
    this.addSql(
      `create index fills_checkpoints on fills (account_id, symbol, at) where checkpoint is not null`,
    )
  }
}
