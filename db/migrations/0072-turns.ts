import { Migration } from '@mikro-orm/migrations'

/**
 * Tells when a signal changes that later ones wait for: by its id, on the channel `turns`, once the change is committed.
 * Nothing is told, and no commit held up, while nobody waits for it.
 */
export class Sequencing extends Migration {
  override up(): void {
    this.addSql(`
      create index signals_sequenced on signals (account_id, symbol)
      where status = 'queued' and sequenced_behind is not null`)
    // In its owner's name: who waits is for the service to know.
    this.addSql(`
      create function signals_notify_sequencing() returns trigger
      language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        if exists (
          select from signals w where w.account_id = new.account_id and w.symbol = new.symbol
            and w.status = 'queued' and w.sequenced_behind is not null and new.id = any (w.sequenced_behind))
        then perform pg_notify('sequencing', new.id::text); end if;
        return null;
      end $$`)
    this.addSql(`
      create trigger signals_sequencing after update of status, entry_ended_at on signals for each row
      when (old.status is distinct from new.status or old.entry_ended_at is distinct from new.entry_ended_at)
      execute function signals_notify_sequencing()`)
  }
}
