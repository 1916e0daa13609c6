import { Migration } from '@mikro-orm/migrations'
import { belongsTo } from './row-policy.ts'

/**
 * The second wall between users: the role in which the API works for a user sees and changes that user's rows
 * alone. What is not granted to it here, it cannot touch: a new table needs a decision.
 */
export class RowSecurity extends Migration {
  override up(): void {
    // Roles belong to the whole server: another database of it may have made this one, even at the same time.
    this.addSql(`
      do $$ begin
        if not exists (select from pg_roles where rolname = 'durable_trader_member') then
          create role durable_trader_member nologin;
        end if;
      exception when duplicate_object or unique_violation then null; end $$`)
    this.addSql(`
      do $$ begin
        if not pg_has_role(current_user, 'durable_trader_member', 'member') then
          execute format('grant durable_trader_member to %I', current_user);
        end if;
      end $$`)
    this.addSql(`grant usage on schema public to durable_trader_member`)
    // Outside of a user's transaction the setting is missing or empty, which is nobody.
    this.addSql(`
      create function acting_user() returns uuid language sql stable
      return nullif(current_setting('app.user_id', true), '')::uuid`)

    const everything = 'select, insert, update, delete'
    for (const table of ['accounts', 'broker_connections', 'strategies', 'positions', 'risk_settings'])
      for (const statement of belongsTo(table, 'user_id', everything)) this.addSql(statement)
    for (const table of ['signals', 'orders', 'sessions', 'refresh_tokens', 'access_tokens'])
      for (const statement of belongsTo(table, 'user_id', 'select, insert, update')) this.addSql(statement)
    for (const table of ['totp_factors', 'backup_codes', 'one_time_secrets'])
      for (const statement of belongsTo(table, 'user_id', everything)) this.addSql(statement)
    // Role, plan and address are not for their owner to change.
    for (const statement of belongsTo(
      'users',
      'id',
      'select, update (password_hash, trading_mode, updated_at)',
    ))
      this.addSql(statement)

    this.addSql(`grant select, insert on signal_events to durable_trader_member`)
    this.addSql(`alter table signal_events enable row level security`)
    this.addSql(`
      create policy own_rows on signal_events for select to durable_trader_member
      using (exists (select from signals s where s.id = signal_id))`)
    // A signal and its first event are stored by one statement, in which a policy does not see the signal yet;
    // a trigger at the end of the statement does.
    this.addSql(`
      create policy new_rows on signal_events for insert to durable_trader_member with check (true)`)
    this.addSql(`
      create function signal_event_is_own() returns trigger language plpgsql as $$
      begin
        if not exists (select from signals where id = new.signal_id) then
          raise insufficient_privilege using message = 'the event belongs to a signal of somebody else';
        end if;
        return null;
      end $$`)
    this.addSql(`
      create trigger signal_events_own after insert on signal_events for each row
      when (current_user = 'durable_trader_member') execute function signal_event_is_own()`)

    this.addSql(`grant select on account_day_starts to durable_trader_member`)
    this.addSql(`alter table account_day_starts enable row level security`)
    this.addSql(`
      create policy own_rows on account_day_starts to durable_trader_member
      using (exists (select from accounts a where a.id = account_id))`)

    // A halt of everything is everybody's to see.
    this.addSql(`grant select, insert, update on trading_halts to durable_trader_member`)
    this.addSql(`alter table trading_halts enable row level security`)
    this.addSql(`
      create policy own_rows on trading_halts to durable_trader_member
      using (user_id = (select acting_user())) with check (user_id = (select acting_user()))`)
    this.addSql(`
      create policy global_rows on trading_halts for select to durable_trader_member using (user_id is null)`)

    // A device waits for whoever knows its code; from then on it is theirs.
    this.addSql(`grant select, update on device_grants to durable_trader_member`)
    this.addSql(`alter table device_grants enable row level security`)
    this.addSql(`
      create policy own_rows on device_grants to durable_trader_member
      using (user_id is null or user_id = (select acting_user())) with check (user_id = (select acting_user()))`)

    this.addSql(`grant select, insert on audit_events to durable_trader_member`)
    this.addSql(`alter table audit_events enable row level security`)
    this.addSql(`
      create policy own_rows on audit_events to durable_trader_member
      using (user_id = (select acting_user())) with check (user_id = (select acting_user()))`)
  }
}
