import { Migration } from '@mikro-orm/migrations'
import { tellLiveFunction } from './live-trigger.ts'

/** Halts, connections to brokers and the user's own settings are told to those who watch. */
export class MoreLiveTopics extends Migration {
  override up(): void {
    // Connections and users belong to no account, and a halt may bind all of them.
    this.addSql(`alter table live_events alter column account_id drop not null`)

    // Halts are numbered; one of everybody is news to everybody.
    this.addSql(`
      create function trading_halts_tell_live() returns trigger
      language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        perform tell_live(u.id, new.account_id, 'halt', lpad(to_hex(new.id), 32, '0')::uuid)
        from users u where u.id = new.user_id or new.user_id is null;
        return null;
      end $$`)
    this.addSql(`
      create trigger trading_halts_live after insert or update on trading_halts
      for each row execute function trading_halts_tell_live()`)

    this.addSql(
      tellLiveFunction('broker_connections', 'broker', {
        account: null,
        unseen: ['updated_at', 'last_checked_at', 'sealed_credentials'],
      }),
    )
    this.addSql(`
      create trigger broker_connections_live after insert or update or delete on broker_connections
      for each row execute function broker_connections_tell_live()`)

    this.addSql(`
      create function users_tell_live() returns trigger
      language plpgsql security definer set search_path = public, pg_temp as $$
      begin
        perform tell_live(new.id, null, 'user', new.id);
        return null;
      end $$`)
    this.addSql(`
      create trigger users_live after update on users for each row
      when (old.trading_mode is distinct from new.trading_mode or old.role is distinct from new.role
        or old.plan is distinct from new.plan)
      execute function users_tell_live()`)
  }
}
