import { belongsTo } from '../row-policy.ts'

export const PROTECTIONS: string[] = [
  // Prices since the entry of signals with position and levels, which are in the signal.
  `create table protections (
    signal_id uuid primary key,
    user_id uuid not null,
    account_id uuid not null,
    symbol text collate "C" not null,
    side text not null check (side in ('LONG', 'SHORT')),
    average_price numeric(20,9) not null check (average_price > 0),
    fees numeric(20,9) not null default 0,
    best_price numeric(20,9) not null,
    price numeric(20,9),
    price_at timestamptz,
    resting jsonb,
    resting_revision integer not null default 0,
    crossed jsonb,
    opened_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    ended_at timestamptz,
    foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade,
    foreign key (user_id, signal_id) references signals (user_id, id) on delete cascade
  )`,
  `create index protections_open on protections (account_id, symbol) where ended_at is null`,
  `create index protections_of_user on protections (user_id) where ended_at is null`,
  ...belongsTo('protections', 'user_id', 'select'),
  // Prices change every second and are not announced.
  `create function protections_notify_live() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    perform notify_live(new.user_id, new.account_id, 'signal', new.signal_id);
    perform notify_live(new.user_id, new.account_id, 'position', p.id) from positions p
    where p.account_id = new.account_id and p.symbol = new.symbol;
    return null;
  end
  $$`,
  `create trigger protections_live after insert or update of resting, crossed, ended_at on protections
  for each row execute function protections_notify_live()`,
]
