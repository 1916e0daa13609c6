import { Migration } from '@mikro-orm/migrations'
import { belongsTo } from './row-policy.ts'

/** Alerts; how far the exit of a signal has come; and with what a signal that has ended goes on. */
export class Alerts extends Migration {
  override up(): void {
    this.addSql(`
      create table alerts (
        id uuid primary key default gen_random_uuid(),
        user_id uuid not null references users on delete cascade,
        account_id uuid not null,
        signal_id uuid,
        kind text not null check (kind in ('unprotected_position', 'fill_after_end', 'order_unknown_at_broker',
          'replaced_order_working', 'credentials')),
        message text not null,
        data jsonb not null default '{}',
        raised_at timestamptz not null default now(),
        acknowledged_by text,
        acknowledged_at timestamptz,
        resolved_at timestamptz,
        foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade,
        foreign key (user_id, signal_id) references signals (user_id, id) on delete cascade,
        check ((acknowledged_at is null) = (acknowledged_by is null))
      )`)
    this.addSql(`
      create unique index alerts_open on alerts (kind, coalesce(signal_id, account_id))
      where resolved_at is null`)
    this.addSql(`create index alerts_open_of_account on alerts (account_id) where resolved_at is null`)
    this.addSql(`create index alerts_newest on alerts (user_id, raised_at desc, id desc)`)
    for (const statement of belongsTo('alerts', 'user_id', 'select, update')) this.addSql(statement)

    this.addSql(`
      alter table signals
        add column exit_generation integer not null default 0,
        add column closings integer not null default 0,
        add column reopen_state jsonb,
        add column reopened_by text`)
  }
}
