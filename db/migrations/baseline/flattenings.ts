import { belongsTo } from '../row-policy.ts'

export const FLATTENINGS: string[] = [
  `create table flattenings (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    -- request: a person, a token or a hook asked for it. close: the calendar did, by the setting of the scope.
    cause text not null check (cause in ('request', 'close')),
    -- The accounts of whom. account: all of these accounts. strategy, hook: what its signals own in them.
    scope text not null check (scope in ('account', 'strategy', 'hook')),
    -- The strategy or the hook; null where the accounts are all of the scope.
    scope_id uuid,
    account_ids uuid[] not null,
    -- Null for every symbol.
    symbols text[],
    -- False where shares stay that no signal has bought.
    include_manual boolean not null,
    -- The token whose entries are stopped, and nobody else's; null for everybody's.
    entries_of uuid,
    reason text,
    -- Who, as shown in timelines.
    asked_by text not null,
    token_id uuid,
    request_key text collate "C",
    -- Of the close: the day of the exchange, when its session ends, and when what is not closed is alarmed.
    day date,
    closes_at timestamptz,
    alarm_at timestamptz not null,
    status text not null default 'working' check (status in ('working', 'done', 'failed')),
    -- Looks that were taken at what is held.
    rounds integer not null default 0,
    -- Of a request, by account that was looked at: the symbols in which an entry from before it could still fill then.
    entering jsonb not null default '{}' check (jsonb_typeof(entering) = 'object'),
    created_at timestamptz not null default now(),
    workflow_started_at timestamptz,
    ended_at timestamptz,
    constraint flattenings_of_close check ((cause = 'close') = (day is not null and closes_at is not null)),
    constraint flattenings_scope check ((scope = 'account') = (scope_id is null)),
    constraint flattenings_ended check ((status = 'working') = (ended_at is null)),
    unique (user_id, id),
    foreign key (user_id, token_id) references access_tokens (user_id, id),
    foreign key (user_id, request_key) references idempotent_requests (user_id, key)
  )`,
  `create index flattenings_newest on flattenings (user_id, created_at desc, id desc)`,
  `create index flattenings_unstarted on flattenings (created_at) where workflow_started_at is null`,
  `create index flattenings_request on flattenings (user_id, request_key) where request_key is not null`,
  `create index flattenings_of_token on flattenings (user_id, token_id) where token_id is not null`,
  ...belongsTo('flattenings', 'user_id', 'select, insert'),

  `create table flatten_lines (
    flatten_id uuid,
    account_id uuid,
    symbol text collate "C",
    user_id uuid not null,
    side text not null check (side in ('LONG', 'SHORT')),
    -- Shares that were held when it was first looked at.
    quantity numeric(20,9) not null check (quantity > 0),
    -- held: something keeps it from being closed, and it is tried again. failed: it is not tried again.
    status text not null check (status in ('closing', 'closed', 'failed', 'held')),
    -- The manual order that closes it, the last one of its tries.
    order_id uuid,
    tries integer not null default 0,
    next_try_at timestamptz not null default now(),
    detail text,
    updated_at timestamptz not null default now(),
    foreign key (user_id, flatten_id) references flattenings (user_id, id) on delete cascade,
    foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade,
    foreign key (user_id, order_id) references orders (user_id, id),
    primary key (flatten_id, account_id, symbol)
  )`,
  `create index flatten_lines_account on flatten_lines (user_id, account_id)`,
  `create index flatten_lines_order on flatten_lines (order_id) where order_id is not null`,
  ...belongsTo('flatten_lines', 'user_id', 'select'),
]
