import { belongsTo } from '../row-policy.ts'

export const PROCESSES: string[] = [
  `
    create table worker_heartbeats (
      worker_id uuid primary key,
      task_queue text not null,
      build_id text not null,
      started_at timestamptz not null default now(),
      seen_at timestamptz not null
    )`,

  `
    create table failing_workflows (
      run_id text collate "C" primary key,
      task_queue text not null,
      failures integer not null default 0,
      notified_at timestamptz not null default now()
    )`,

  `
    create table account_feeds (
      account_id uuid primary key references accounts on delete cascade,
      compared_at timestamptz,
      due_at timestamptz not null
    )`,

  // ledger_mark: a growing number, also in Temporal, that reveals a rollback of either.
  `
    create table ledger_mark (
      sequence bigint not null check (sequence > 0),
      marked_at timestamptz not null,
      -- Instant of the restored state, from a restoration until it is reconciled.
      restored_to timestamptz
    )`,
  `create unique index ledger_mark_one_row on ledger_mark ((true))`,

  // broker_gates: requests per connection in slots of ten seconds, newest first, and the instants until which the
  // broker, or its limit, wants none; orders first, others later.
  `
    create unlogged table broker_gates (
      connection_id uuid primary key references broker_connections on delete cascade,
      slot bigint not null,
      requests integer[] not null,
      not_before timestamptz,
      others_not_before timestamptz,
      is_reported boolean not null
    ) with (fillfactor = 50)`,

  // encryption_key_checks: check values of all keys, which detect wrong ones.
  `
    create table encryption_key_checks (
      key_id text collate "C" primary key,
      check_value text not null,
      registered_at timestamptz not null default now()
    )`,

  `
    create table sync_rounds (
      every_seconds integer not null check (every_seconds > 0)
    )`,
  `create unique index sync_rounds_one_row on sync_rounds ((true))`,

  `
    create table snapshot_schedules (
      broker_type text collate "C" primary key,
      date date not null,
      due_at timestamptz not null,
      until timestamptz not null,
      planned_at timestamptz not null default now()
    )`,

  `
    create table leases (
      name text collate "C" primary key,
      holder uuid not null,
      held_until timestamptz not null
    )`,

  `
    create table signal_sources (
      signal_id uuid primary key,
      user_id uuid not null,
      body text not null,
      foreign key (user_id, signal_id) references signals (user_id, id) on delete cascade
    )`,
  ...belongsTo('signal_sources', 'user_id', 'select, insert'),

  // repeated_signal: the signal that a body without sourceId repeats, if the token's owner merges these. Requires the
  // lock of account and symbol, before the calling statement's snapshot.
  `
    create function repeated_signal(sent_by_token uuid, account uuid, sent text) returns uuid
    language plpgsql volatile as $$
    declare
      since constant timestamptz := clock_timestamp() - interval '30 seconds';
    begin
      if not exists (select from access_tokens where id = sent_by_token and merges_repeats) then
        return null;
      end if;
      return (select s.id
        from signals s
        where s.account_id = account and s.accepted_at > since and s.token_id = sent_by_token
          and s.source_id is null
          and (s.status not in ('rejected', 'cancelled', 'error') or s.may_have_order)
          and (select b.body from signal_sources b where b.signal_id = s.id) = sent
        order by s.accepted_at desc limit 1);
    end
    $$`,

  // due_work: work not done, with its due instant. An entry counts from its own instant, as a worker that keeps dying
  // changes it; after a wait for earlier signals, from the decision that ended it. An account counts from its first
  // missed round: later ones would end and raise the alert again.
  `
    create view due_work as
    select 'action_overdue' as kind, 'scheduled_entry' as what, scheduled_at as due_at, user_id as owner_id, account_id,
            id as signal_id
          from signals where status = 'scheduled'
          union all
          select 'action_overdue', 'expiry', valid_until, user_id, account_id, id
          from signals where status = 'pending' and valid_until is not null
          union all
          select 'action_overdue', case when ask is null then 'entry' else 'manual_order' end,
            case when sequencing_until is null then greatest(accepted_at, scheduled_at, decided_at)
              when decisions -> 'entry' is null then greatest(sequencing_until, updated_at)
              else updated_at end,
            user_id, account_id, id
          from signals where status in ('queued', 'transmitted')
          union all
          select 'action_overdue', case exit_status when 'waiting' then 'exit_plan' else 'exit' end, exit_due_at, user_id,
            account_id, id
          from signals where exit_due_at is not null and exit_status in ('waiting', 'scheduled')
          union all
          select 'action_overdue', 'gtd_cancel', expires_at, user_id, account_id, id
          from signals where expires_at is not null and entry_ended_at is null and status = 'executed'
          union all
          select 'action_overdue', 'order_end', updated_at, user_id, account_id, signal_id
          from orders
          where end_acknowledged_at is null and status in ('FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED')
          union all
          select 'account_sync_overdue', 'account_sync', missed.began_at + (select count(*) from accounts where is_active) * interval '300 milliseconds', a.user_id, a.id, null
          from (select every_seconds from sync_rounds limit 1) one
          join accounts a on a.is_active
          cross join lateral (
            select to_timestamp((floor(extract(epoch from a.last_synced_at) / every_seconds) + 1) * every_seconds) as began_at
          ) missed
          where missed.began_at <= now()
          union all
          select 'feed_overdue', 'feed', greatest(f.due_at, b.updated_at + interval '1 minute'), a.user_id, a.id, null
          from accounts a
          join broker_connections b on b.id = a.broker_id
          left join account_feeds f on f.account_id = a.id
          where a.is_active
          union all
          select 'snapshot_overdue', 'snapshot', p.due_at + (select count(*) from accounts where is_active) * interval '300 milliseconds', a.user_id, a.id, null
          from snapshot_schedules p
          join broker_connections b on b.broker_type = p.broker_type
          join accounts a on a.broker_id = b.id and a.is_active and a.created_at < p.due_at
          where p.due_at < now() and p.until > now()
            and not exists (select from balance_snapshots s where s.account_id = a.id and s.date = p.date)
          union all
          select 'snapshot_overdue', 'snapshot_plan', noon.at, a.user_id, a.id, null
          from (select (date_trunc('day', now() at time zone 'America/New_York' - interval '12 hours')
          + interval '12 hours') at time zone 'America/New_York' as at) noon
          join snapshot_schedules p on p.planned_at < noon.at and p.until < now()
          join broker_connections b on b.broker_type = p.broker_type
          join accounts a on a.broker_id = b.id and a.is_active and a.created_at < noon.at`,
]
