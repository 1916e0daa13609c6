import { notifiesLive } from '../live-trigger.ts'
import { belongsTo } from '../row-policy.ts'

export const GROUPS: string[] = [
  // Names of repetitions: Idempotency-Key, a group's sourceId, or a hook message's content.
  `create table requests (
    -- Id of the result: the signal of an order by hand, group, flattening, or message of a hook.
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    name text collate "C" not null check (name <> ''),
    -- Hash of the request; only with a key.
    hash text,
    -- Seconds for which the name is valid; null: permanently.
    seconds integer,
    at timestamptz not null
  )`,
  `create unique index requests_name on requests (user_id, name) where seconds is null`,
  `create index requests_name_for_a_while on requests (user_id, name, at) where seconds is not null`,
  ...belongsTo('requests', 'user_id', 'select, insert, update, delete'),

  `create table signal_groups (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    token_id uuid,
    symbol text not null,
    summary text not null,
    accounts integer not null check (accounts > 0),
    refusals jsonb not null default '[]' check (jsonb_typeof(refusals) = 'array'),
    supersedes jsonb not null default '[]' check (jsonb_typeof(supersedes) = 'array'),
    meant_at timestamptz,
    created_at timestamptz not null default now(),
    unique (user_id, id),
    foreign key (user_id, token_id) references access_tokens (user_id, id)
  )`,
  `create index signal_groups_newest on signal_groups (user_id, created_at desc, id desc)`,
  `create index signal_groups_several_newest on signal_groups (user_id, created_at desc, id desc)
  where accounts > 1`,
  ...belongsTo('signal_groups', 'user_id', 'select, insert, update, delete'),
  ...notifiesLive('signal_groups', 'group', { account: null, unseen: [] }),
]
