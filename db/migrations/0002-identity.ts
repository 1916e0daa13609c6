import { Migration } from '@mikro-orm/migrations'

/** Sessions, second factors, links and devices; the audit log; the counts of the rate limits. */
export class Identity extends Migration {
  override up(): void {
    this.addSql(`
      create table sessions (
        id uuid primary key,
        user_id uuid not null references users on delete cascade,
        kind text not null check (kind in ('web', 'desktop')),
        name text not null,
        ip text not null,
        verified_at timestamptz not null default now(),
        second_factor_at timestamptz,
        created_at timestamptz not null default now(),
        last_used_at timestamptz not null default now(),
        expires_at timestamptz not null,
        ended_at timestamptz,
        end_reason text,
        unique (user_id, id)
      )`)
    this.addSql(`create index sessions_live on sessions (user_id) where ended_at is null`)

    this.addSql(`
      create table refresh_tokens (
        hash text primary key,
        user_id uuid not null,
        session_id uuid not null,
        parent_hash text,
        used_at timestamptz,
        successor_salt text,
        created_at timestamptz not null default now(),
        foreign key (user_id, session_id) references sessions (user_id, id) on delete cascade
      )`)
    this.addSql(`create index refresh_tokens_session on refresh_tokens (session_id)`)

    this.addSql(`
      alter table access_tokens
        add column kind text not null default 'access' check (kind in ('access', 'legacy', 'desktop')),
        add column session_id uuid,
        add foreign key (user_id, session_id) references sessions (user_id, id) on delete cascade,
        add check ((kind = 'desktop') = (session_id is not null))`)
    this.addSql(
      `create index access_tokens_session on access_tokens (session_id) where session_id is not null`,
    )

    this.addSql(`
      create table totp_factors (
        user_id uuid primary key references users on delete cascade,
        sealed_secret text not null,
        confirmed_at timestamptz,
        last_step bigint not null default 0,
        created_at timestamptz not null default now()
      )`)
    this.addSql(`
      create table backup_codes (
        user_id uuid not null references users on delete cascade,
        hash text not null,
        used_at timestamptz,
        primary key (user_id, hash)
      )`)

    this.addSql(`
      create table one_time_secrets (
        hash text primary key,
        user_id uuid not null references users on delete cascade,
        purpose text not null check (purpose in ('password_reset', 'second_factor')),
        used_at timestamptz,
        expires_at timestamptz not null,
        created_at timestamptz not null default now()
      )`)
    this.addSql(`create index one_time_secrets_user on one_time_secrets (user_id, purpose)`)
    this.addSql(`create index one_time_secrets_expiry on one_time_secrets (expires_at)`)
    this.addSql(`
      create table pending_registrations (
        hash text primary key,
        email text not null,
        password_hash text not null,
        expires_at timestamptz not null,
        created_at timestamptz not null default now()
      )`)
    this.addSql(`create index pending_registrations_expiry on pending_registrations (expires_at)`)

    this.addSql(`
      create table device_grants (
        device_hash text primary key,
        user_code text not null unique,
        device_name text not null,
        ip text not null,
        status text not null default 'pending' check (status in ('pending', 'approved', 'denied', 'redeemed')),
        user_id uuid references users on delete cascade,
        poll_seconds integer not null default 5,
        last_polled_at timestamptz,
        expires_at timestamptz not null,
        created_at timestamptz not null default now(),
        check ((status = 'pending') = (user_id is null))
      )`)
    this.addSql(`create index device_grants_expiry on device_grants (expires_at)`)

    // No reference to users: the log outlives whom it tells of.
    this.addSql(`
      create table audit_events (
        sequence bigint generated always as identity primary key,
        user_id uuid,
        actor_id uuid,
        kind text not null,
        at timestamptz not null default now(),
        credential text,
        ip text,
        request_id text,
        data jsonb not null default '{}'
      )`)
    this.addSql(`create index audit_events_newest on audit_events (user_id, sequence desc)`)
    this.addSql(`
      create function audit_events_are_final() returns trigger language plpgsql as $$
      begin raise exception 'the audit log is only added to'; end $$`)
    this.addSql(`
      create trigger audit_events_final before update or delete or truncate on audit_events
      for each statement execute function audit_events_are_final()`)

    // Those of sign-in survive a crash of the server; those of ordinary requests need not be that dear.
    this.addSql(`
      create table sign_in_counts (
        key varchar(255) primary key, points integer not null default 0, expire bigint)`)
    this.addSql(`
      create unlogged table request_counts (
        key varchar(255) primary key, points integer not null default 0, expire bigint)`)
  }
}
