import { Migration } from '@mikro-orm/migrations'
import { ALERT_KINDS } from '#domain/alert.ts'

/**
 * What is due, and when: so that whoever can read the ledger can tell whether it was done, even with Temporal and every
 * worker gone.
 */
export class DueWork extends Migration {
  override up(): void {
    // When the next exit order is to be out; which earlier signals one waits behind, and for how long at most.
    this.addSql(`
      alter table signals
        add column exit_due_at timestamptz,
        add column sequenced_behind uuid[],
        add column sequencing_since timestamptz,
        add column sequencing_until timestamptz`)
    this.addSql(`create index signals_scheduled_due on signals (scheduled_at) where status = 'scheduled'`)
    this.addSql(`
      create index signals_expiry_due on signals (valid_until) where status = 'pending' and valid_until is not null`)
    this.addSql(`
      create index signals_entry_due on signals (updated_at) where status in ('queued', 'transmitted')`)
    this.addSql(`
      create index signals_exit_due on signals (exit_due_at)
      where exit_due_at is not null and exit_status in ('waiting', 'scheduled')`)
    this.addSql(`
      create index signals_gtd_due on signals (expires_at)
      where expires_at is not null and entry_ended_at is null and status = 'executed'`)
    this.addSql(`
      create index orders_end_due on orders (updated_at)
      where end_acknowledged_at is null and status in ('FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED')`)
    this.addSql(`
      create index orders_placement_due on orders (created_at) where broker_order_id is null and status = 'PENDING'`)
    this.addSql(`
      create index orders_ended on orders (account_id, end_acknowledged_at)
      where status in ('CANCELLED', 'EXPIRED', 'REJECTED') and end_acknowledged_at is not null`)
    // Signals whose workflow is to run, as far as the ledger knows.
    this.addSql(`create index signals_unfinished on signals (workflow_started_at) where ${UNFINISHED_SIGNAL}`)
    this.addSql(`create index accounts_sync_due on accounts (last_synced_at) where is_active`)

    // How often accounts are synced, as the workers were told; and of which day the balances are recorded next.
    this.addSql(`create table sync_rounds (every_seconds integer not null check (every_seconds > 0))`)
    this.addSql(`create unique index sync_rounds_one_row on sync_rounds ((true))`)
    this.addSql(`
      create table snapshot_plans (
        broker_type text primary key,
        date date not null,
        due_at timestamptz not null,
        until timestamptz not null,
        planned_at timestamptz not null default now()
      )`)
    // Who does what only one process at a time is to do.
    this.addSql(`
      create table leases (
        name text primary key,
        holder uuid not null,
        held_until timestamptz not null
      )`)

    this.addSql(`alter table alerts drop constraint alerts_kind_check`)
    this.addSql(`
      alter table alerts add constraint alerts_kind_check
        check (kind in (${ALERT_KINDS.map((kind) => `'${kind}'`).join(', ')}))`)

    this.addSql(DUE_WORK)
  }
}

const UNFINISHED_SIGNAL = `(status in ('pending', 'scheduled', 'queued', 'transmitted')
  or (order_id is not null and (closings = 0 or reopened_by is not null)))`

/** Accounts that are worked through in one round take turns, so that the last one is due a little later. */
const PER_ACCOUNT = `(select count(*) from accounts where is_active) * interval '300 milliseconds'`
const LAST_NOON = `(date_trunc('day', now() at time zone 'America/New_York' - interval '12 hours')
  + interval '12 hours') at time zone 'America/New_York'`

/**
 * Everything that is to be done and is not done yet, with the instant at which it is due. To be asked with a bound on
 * due_at, which every part answers from an index of its own.
 */
const DUE_WORK = `
  create view due_work as
  select 'action_overdue' as kind, 'scheduled_entry' as what, scheduled_at as due_at, user_id as owner_id, account_id,
    id as signal_id, null::uuid as order_id
  from signals where status = 'scheduled'
  union all
  select 'action_overdue', 'expiry', valid_until, user_id, account_id, id, null
  from signals where status = 'pending' and valid_until is not null
  union all
  select 'action_overdue', 'entry',
    case when sequencing_until is not null and decisions -> 'entry' is null then greatest(sequencing_until, updated_at)
      else updated_at end,
    user_id, account_id, id, null
  from signals where status in ('queued', 'transmitted')
  union all
  select 'action_overdue', 'exit', exit_due_at, user_id, account_id, id, null
  from signals where exit_due_at is not null and exit_status in ('waiting', 'scheduled')
  union all
  select 'action_overdue', 'gtd_cancel', expires_at, user_id, account_id, id, null
  from signals where expires_at is not null and entry_ended_at is null and status = 'executed'
  union all
  select 'action_overdue', 'order_end', updated_at, user_id, account_id, signal_id,
    case when signal_id is null then id end
  from orders
  where end_acknowledged_at is null and status in ('FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED')
  union all
  select 'action_overdue', 'manual_order', created_at, user_id, account_id, null, id
  from orders where broker_order_id is null and status = 'PENDING'
  union all
  select 'account_sync_overdue', 'account_sync', round.began_at + ${PER_ACCOUNT}, a.user_id, a.id, null, null
  from (
    select to_timestamp(floor(extract(epoch from now()) / every_seconds) * every_seconds) as began_at
    from sync_rounds) round
  join accounts a on a.is_active and a.last_synced_at < round.began_at
  union all
  select 'snapshot_overdue', 'snapshot', p.due_at + ${PER_ACCOUNT}, a.user_id, a.id, null, null
  from snapshot_plans p
  join broker_connections b on b.broker_type = p.broker_type
  join accounts a on a.broker_id = b.id and a.is_active and a.created_at < p.due_at
  where p.due_at < now() and p.until > now()
    and not exists (select from balance_snapshots s where s.account_id = a.id and s.date = p.date)
  union all
  select 'snapshot_overdue', 'snapshot_plan', noon.at, a.user_id, a.id, null, null
  from (select ${LAST_NOON} as at) noon
  join snapshot_plans p on p.planned_at < noon.at and p.until < now()
  join broker_connections b on b.broker_type = p.broker_type
  join accounts a on a.broker_id = b.id and a.is_active and a.created_at < noon.at`
