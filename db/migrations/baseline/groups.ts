import { tellsLive } from '../live-trigger.ts'
import { belongsTo } from '../row-policy.ts'

export const GROUPS: string[] = [
  `create table signal_groups (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    token_id uuid,
    identity text collate "C",
    identity_seconds integer,
    symbol text not null,
    summary text not null,
    accounts integer not null check (accounts > 0),
    refusals jsonb not null default '[]' check (jsonb_typeof(refusals) = 'array'),
    supersedes jsonb not null default '[]' check (jsonb_typeof(supersedes) = 'array'),
    meant_at timestamptz,
    created_at timestamptz not null default now(),
    -- When a repetition was answered with it: it is not taken back any more.
    told_at timestamptz,
    unique (user_id, id),
    foreign key (user_id, token_id) references access_tokens (user_id, id)
  )`,
  `create unique index signal_groups_identity on signal_groups (coalesce(token_id, user_id), identity)
  where identity is not null and identity_seconds is null`,
  `create index signal_groups_window on signal_groups (coalesce(token_id, user_id), identity, created_at)
  where identity is not null and identity_seconds is not null`,
  `create index signal_groups_newest on signal_groups (user_id, created_at desc, id desc)`,
  `create index signal_groups_several_newest on signal_groups (user_id, created_at desc, id desc)
  where accounts > 1`,
  ...belongsTo('signal_groups', 'user_id', 'select, insert, update, delete'),
  ...tellsLive('signal_groups', 'group', { account: null, unseen: ['told_at'] }),
]
