import { belongsTo } from '../row-policy.ts'

export const HOOKS: string[] = [
  `create table hooks (
    id uuid primary key,
    user_id uuid not null,
    name text not null,
    kind text not null check (kind in ('json', 'tradingview', 'traderspost', 'trade-relay', 'signalstack', 'openalgo', 'template')),
    settings jsonb not null check (jsonb_typeof(settings) = 'object'),
    requests_per_minute integer not null check (requests_per_minute between 1 and 600),
    addresses text[] not null default '{}',
    sealed_signing_key text,
    expects jsonb,
    expects_since timestamptz not null default now(),
    first_request_at timestamptz,
    last_request_at timestamptz,
    last_accepted_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (user_id, id),
    foreign key (user_id, id) references access_tokens (user_id, id) on delete cascade
  )`,
  `create index hooks_newest on hooks (user_id, created_at desc, id desc)`,
  ...belongsTo('hooks', 'user_id', 'select, insert, update'),

  `create table hook_secrets (
    id uuid primary key,
    user_id uuid not null,
    hook_id uuid not null,
    hash text collate "C" not null unique,
    created_at timestamptz not null default now(),
    ends_at timestamptz,
    last_used_at timestamptz,
    foreign key (user_id, hook_id) references hooks (user_id, id) on delete cascade
  )`,
  `create index hook_secrets_hook on hook_secrets (hook_id)`,
  ...belongsTo('hook_secrets', 'user_id', 'select, insert, update, delete'),

  `create table hook_requests (
    id uuid primary key,
    user_id uuid not null,
    hook_id uuid not null,
    received_at timestamptz not null,
    via text not null default 'sender' check (via in ('sender', 'test', 'again')),
    again uuid,
    ip text not null,
    body text not null,
    bytes integer not null,
    -- Signature of the message by its sender: each is valid once.
    signature text collate "C",
    -- Last attempt to process the left-over request; null without one.
    tried_at timestamptz,
    outcome text collate "C" check (outcome in ('accepted', 'nothing', 'repeated', 'refused', 'dry_run', 'late')),
    code text,
    message text,
    faults jsonb not null default '[]',
    advisories jsonb not null default '[]',
    group_id uuid,
    status integer,
    finished_at timestamptz,
    foreign key (user_id, hook_id) references hooks (user_id, id) on delete cascade
  )`,
  `create index hook_requests_newest on hook_requests (hook_id, received_at desc, id desc)`,
  `create index hook_requests_age on hook_requests (received_at)`,
  `create index hook_requests_left on hook_requests (received_at) where outcome is null`,
  `create index hook_requests_signature on hook_requests (hook_id, signature) where signature is not null`,
  `create index hook_requests_group on hook_requests (group_id) where group_id is not null`,
  ...belongsTo('hook_requests', 'user_id', 'select, insert, update'),
]
