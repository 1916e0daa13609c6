-- recordFills sends (written by npm run docs):

begin;

select
  id
from
  accounts
where
  id = $1
for no key update;

insert into
  fills (
    account_id,
    user_id,
    execution_id,
    broker_order_id,
    order_id,
    symbol,
    side,
    quantity,
    price,
    at,
    order_filled
  )
select
  $1,
  $2,
  x."executionId",
  x."brokerOrderId",
  b.order_id,
  x.symbol,
  x.side,
  x.quantity,
  x.price,
  x.at,
  x."orderFilled"
from
  jsonb_to_recordset($3::jsonb) as x (
    "executionId" text,
    "brokerOrderId" text,
    symbol text,
    side text,
    quantity numeric,
    price numeric,
    at timestamptz,
    "orderFilled" numeric
  )
  left join order_broker_ids b on b.account_id = $4
  and b.broker_order_id = x."brokerOrderId"
  -- What the broker has taken back may be on a list that is older.
where
  not exists (
    select
    from
      fill_amendments a
    where
      a.account_id = $5
      and a.execution_id = x."executionId"
  )
on conflict do nothing
returning
  execution_id as "executionId",
  symbol,
  to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at;

update fills f
set
  order_id = found.order_id
from
  (
    select
      n.account_id,
      n.execution_id,
      b.order_id
    from
      fills n
      join order_broker_ids b using (account_id, broker_order_id)
    where
      n.account_id = $1
      and n.order_id is null
      and n.recorded_at > now() - interval '1 day'
    union
    select
      n.account_id,
      n.execution_id,
      b.order_id
    from
      fills n
      join order_broker_ids b using (account_id, broker_order_id)
    where
      b.account_id = $2
      and n.order_id is null
      and b.since > now() - interval '1 day'
  ) found
where
  f.account_id = found.account_id
  and f.execution_id = found.execution_id
returning
  f.symbol,
  to_char(f.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at;

insert into
  fees (account_id, user_id, fee_id, execution_id, day, amount, kind)
select
  $1,
  $2,
  x."feeId",
  x."executionId",
  x.day,
  x.amount,
  x.kind
from
  jsonb_to_recordset($3::jsonb) as x ("feeId" text, "executionId" text, day date, amount numeric, kind text)
on conflict (account_id, fee_id) do update
set
  amount = excluded.amount
where
  fees.amount <> excluded.amount
returning
  fee_id;

select
  coalesce((f.at at time zone 'America/New_York')::date, x.day)::text as day
from
  fees x
  left join fills f on f.account_id = x.account_id
  and f.execution_id = x.execution_id
where
  x.account_id = $1
  and x.fee_id in (
    select
      jsonb_array_elements_text($2::jsonb)
  )
union
select
  (f.at at time zone 'America/New_York')::date::text
from
  fills f
where
  f.account_id = $3
  and f.execution_id in (
    select
      jsonb_array_elements_text($4::jsonb)
  )
  and exists (
    select
    from
      fees x
    where
      x.account_id = f.account_id
      and (
        x.day = (f.at at time zone 'America/New_York')::date
        or x.execution_id = f.execution_id
      )
  );

select
  x.execution_id,
  coalesce(o.broker_order_id, x.broker_order_id) as broker_order_id,
  x.symbol,
  x.side,
  x.quantity::text,
  x.price::text,
  x.fees::text,
  x.order_filled::text,
  to_char(x.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
from
  fills x
  left join order_broker_ids b on b.account_id = x.account_id
  and b.broker_order_id = x.broker_order_id
  left join orders o on o.id = b.order_id
  left join signals s on s.id = o.signal_id
  left join manual_orders h on h.order_id = o.id
where
  x.account_id = $1
  and x.at >= (($2::date)::timestamp at time zone 'America/New_York')
  and x.at < (($3::date + 1)::timestamp at time zone 'America/New_York');

select
  fee_id,
  execution_id,
  amount::text,
  kind
from
  fees
where
  account_id = $1
  and (
    execution_id is null
    and day = $2
    or execution_id in (
      select
        f.execution_id
      from
        fills f
      where
        f.account_id = $3
        and f.at >= (($4::date)::timestamp at time zone 'America/New_York')
        and f.at < (($5::date + 1)::timestamp at time zone 'America/New_York')
    )
  )
order by
  fee_id;

update fills f
set
  fees = x.amount
from
  jsonb_to_recordset($1::jsonb) as x ("executionId" text, amount numeric)
where
  f.account_id = $2
  and f.execution_id = x."executionId"
  and f.fees <> x.amount
returning
  f.symbol,
  to_char(f.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at;

select
  begun.symbol,
  coalesce(c.at::text, '-infinity') as since,
  c.checkpoint
from
  jsonb_to_recordset($1::jsonb) as begun (symbol text, since timestamptz)
  left join lateral (
    select
      f.at,
      f.checkpoint
    from
      fills f
    where
      f.account_id = $2
      and f.symbol = begun.symbol
      and f.checkpoint is not null
      and f.at < begun.since
    order by
      f.at desc
    limit
      1
  ) c on true;

select
  g.*
from
  jsonb_to_recordset($1::jsonb) as begun (symbol text, since timestamptz)
  cross join lateral (
    select
      x.execution_id,
      coalesce(o.broker_order_id, x.broker_order_id) as broker_order_id,
      x.symbol,
      x.side,
      x.quantity::text,
      x.price::text,
      x.fees::text,
      x.order_filled::text,
      to_char(x.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at,
      x.checkpoint is not null as is_checkpoint,
      o.role,
      o.signal_id,
      s.action,
      coalesce(s.decisions -> 'entry' -> 'takes', h.decision -> 'takes') as takes,
      (
        case
          when exists (
            select
            from
              order_broker_ids r
            where
              r.order_id = o.id
              and r.broker_order_id <> o.broker_order_id
          ) then x.quantity + (
            select
              coalesce(sum(g.quantity), 0)
            from
              order_broker_ids r
              join fills g using (account_id, broker_order_id)
            where
              r.order_id = o.id
              and (g.at, g.broker_order_id collate "C", g.order_filled, g.execution_id collate "C") < (x.at, x.broker_order_id collate "C", x.order_filled, x.execution_id collate "C")
          )
          else x.order_filled
        end
      )::text as filled_through
    from
      fills x
      left join order_broker_ids b on b.account_id = x.account_id
      and b.broker_order_id = x.broker_order_id
      left join orders o on o.id = b.order_id
      left join signals s on s.id = o.signal_id
      left join manual_orders h on h.order_id = o.id
    where
      x.account_id = $2
      and x.symbol = begun.symbol
      and x.at > begun.since
    offset
      0
  ) g;

delete from trades
where
  account_id = $1
  and id in (
    select
      t.id
    from
      jsonb_to_recordset($2::jsonb) as begun (symbol text, since timestamptz)
      cross join lateral (
        select
          id
        from
          trades
        where
          account_id = $3
          and symbol = begun.symbol
          and (
            entry_at > begun.since
            or exit_at > begun.since
          )
        offset
          0
      ) t
    union all
    select
      jsonb_array_elements_text($4::jsonb)::uuid
  )
  and id not in (
    select
      jsonb_array_elements_text($5::jsonb)::uuid
  );

insert into
  trades (
    id,
    user_id,
    account_id,
    symbol,
    side,
    status,
    quantity,
    entry_price,
    exit_price,
    entry_at,
    exit_at,
    realised_pnl,
    realised_pnl_percent,
    fees,
    exit_fees,
    strategy_id,
    signal_id,
    entry_order_ids,
    exit_order_ids
  )
select
  x.id,
  $1,
  $2,
  x.symbol,
  x.side,
  x.status,
  x.quantity,
  x."entryPrice",
  x."exitPrice",
  x."entryAt",
  x."exitAt",
  x."realisedPnl",
  x."realisedPnlPercent",
  x.fees,
  x."exitFees",
  s.strategy_id,
  s.id,
  array_remove(array["entry".id], null),
  array_remove(array["exit".id], null)
from
  jsonb_to_recordset($3::jsonb) as x (
    id uuid,
    symbol text,
    side text,
    status text,
    quantity numeric,
    "entryPrice" numeric,
    "exitPrice" numeric,
    "entryAt" timestamptz,
    "exitAt" timestamptz,
    "realisedPnl" numeric,
    "realisedPnlPercent" numeric,
    fees numeric,
    "exitFees" numeric,
    owner uuid,
    "entryOrder" text,
    "exitOrder" text
  )
  left join orders entry on entry.account_id = $4
  and entry.broker_order_id = x."entryOrder"
  left join orders exit on exit.account_id = $5
  and exit.broker_order_id = x."exitOrder"
  left join signals s on s.id = x.owner
on conflict (id) do update
set
  updated_at = now(),
  side = excluded.side,
  status = excluded.status,
  quantity = excluded.quantity,
  entry_price = excluded.entry_price,
  exit_price = excluded.exit_price,
  entry_at = excluded.entry_at,
  exit_at = excluded.exit_at,
  realised_pnl = excluded.realised_pnl,
  realised_pnl_percent = excluded.realised_pnl_percent,
  fees = excluded.fees,
  exit_fees = excluded.exit_fees,
  strategy_id = excluded.strategy_id,
  signal_id = excluded.signal_id,
  entry_order_ids = excluded.entry_order_ids,
  exit_order_ids = excluded.exit_order_ids
where
  (
    trades.side,
    trades.status,
    trades.quantity,
    trades.entry_price,
    trades.exit_price,
    trades.entry_at,
    trades.exit_at,
    trades.realised_pnl,
    trades.realised_pnl_percent,
    trades.fees,
    trades.exit_fees,
    trades.strategy_id,
    trades.signal_id,
    trades.entry_order_ids,
    trades.exit_order_ids
  ) is distinct from (
    excluded.side,
    excluded.status,
    excluded.quantity,
    excluded.entry_price,
    excluded.exit_price,
    excluded.entry_at,
    excluded.exit_at,
    excluded.realised_pnl,
    excluded.realised_pnl_percent,
    excluded.fees,
    excluded.exit_fees,
    excluded.strategy_id,
    excluded.signal_id,
    excluded.entry_order_ids,
    excluded.exit_order_ids
  );

update accounts
set
  updated_at = now(),
  realised_pnl = total.realised_pnl
from
  (
    select
      coalesce(sum(realised_pnl), 0) as realised_pnl
    from
      trades
    where
      account_id = $1
  ) total
where
  id = $2
  and accounts.realised_pnl <> round(total.realised_pnl, 4);

insert into
  unread_executions (account_id, user_id, execution_id, detail)
select
  $1,
  $2,
  x."executionId",
  x.detail
from
  jsonb_to_recordset($3::jsonb) as x ("executionId" text, detail text)
on conflict do nothing
returning
  execution_id;

delete from unread_executions
where
  account_id = $1
  and execution_id in (
    select
      jsonb_array_elements_text($2::jsonb)
  )
returning
  execution_id;

update fill_cursors
set
  listed_until = $1::timestamptz
where
  account_id = $2
  and listed_until < $3::timestamptz;

commit;
