import { Migration } from '@mikro-orm/migrations'

/** The bound on signals of one account that wait for a person or for their time. */
export class WaitingSignals extends Migration {
  override up(): void {
    this.addSql(
      `create index signals_waiting on signals (account_id) where status in ('pending', 'scheduled')`,
    )
    // Whoever stores a waiting signal asks this in the statement that stores it. The lock lets one after the other count,
    // until its transaction ends; a volatile function sees what was committed while it waited for the lock, which the
    // statement around it does not.
    this.addSql(`
      create function may_wait(account uuid, most integer) returns boolean
      language plpgsql volatile as $$
      begin
        perform pg_advisory_xact_lock(hashtextextended('waiting ' || account::text, 0));
        return (select count(*) from signals
          where account_id = account and status in ('pending', 'scheduled')) < most;
      end $$`)
  }
}
