import { Migration } from '@mikro-orm/migrations'
import { tellsLive } from './live-trigger.ts'
import { belongsTo } from './row-policy.ts'

/** What has changed, for those who watch; and the tickets by which browsers are let in to do so. */
export class LiveEvents extends Migration {
  override up(): void {
    // No references: rows live for a day, and each would lock what it refers to with every change.
    this.addSql(`
      create table live_events (
        xact xid8 not null default pg_current_xact_id(),
        id bigint generated always as identity,
        user_id uuid not null,
        account_id uuid not null,
        topic text not null,
        subject_id uuid not null,
        at timestamptz not null default clock_timestamp(),
        primary key (xact, id)
      )`)
    this.addSql(`create index live_events_user on live_events (user_id, xact)`)
    this.addSql(`create index live_events_at on live_events using brin (at)`)
    for (const statement of belongsTo('live_events', 'user_id', 'select')) this.addSql(statement)

    // The newest transaction of which an event was removed: whoever was away since before has missed something.
    this.addSql(`create table live_events_removed (up_to xid8 not null)`)
    this.addSql(`create unique index live_events_removed_one_row on live_events_removed ((true))`)
    this.addSql(`insert into live_events_removed values ('0')`)

    // Commits that notify wait for each other, the flush to disk included. So only one transaction at a time does,
    // and none waits to be it: those who come meanwhile are found by the look that follows.
    this.addSql(`
      create function tell_live(user_id uuid, account_id uuid, topic text, subject_id uuid) returns void
      language plpgsql as $$
      begin
        insert into live_events (user_id, account_id, topic, subject_id)
        values (user_id, account_id, topic, subject_id);
        if pg_try_advisory_xact_lock(7283003) then perform pg_notify('live_events', ''); end if;
      end $$`)
    for (const statement of [
      ...tellsLive('signals', 'signal', {
        unseen: [
          'updated_at',
          'workflow_started_at',
          'entry_ended_at',
          'decisions',
          'exit_generation',
          'closings',
          'reopen_state',
          'reopened_by',
        ],
      }),
      ...tellsLive('orders', 'order', { unseen: ['updated_at', 'end_acknowledged_at', 'revision'] }),
      ...tellsLive('positions', 'position', { unseen: ['updated_at'] }),
      ...tellsLive('accounts', 'account', { account: 'id', unseen: ['updated_at', 'last_synced_at'] }),
      ...tellsLive('alerts', 'alert', { unseen: [] }),
      ...tellsLive('trades', 'trade', { unseen: ['updated_at'] }),
    ])
      this.addSql(statement)

    this.addSql(`
      create table event_tickets (
        hash text primary key,
        user_id uuid not null,
        session_id uuid not null,
        expires_at timestamptz not null,
        foreign key (user_id, session_id) references sessions (user_id, id) on delete cascade
      )`)
    this.addSql(`create index event_tickets_session on event_tickets (user_id, session_id)`)
    for (const statement of belongsTo('event_tickets', 'user_id', 'select, insert, delete'))
      this.addSql(statement)
  }
}
