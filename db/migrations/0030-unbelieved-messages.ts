import { Migration } from '@mikro-orm/migrations'

/** Alerts of messages in Temporal that the service did not make for the place where they came. */
export class UntrustedMessages extends Migration {
  override up(): void {
    this.addSql(`
      alter table alerts drop constraint alerts_kind_check,
        add constraint alerts_kind_check check (kind in ('unprotected_position', 'fill_after_end',
          'order_unknown_at_broker', 'replaced_order_working', 'credentials', 'untrusted_message'))`)
  }
}
