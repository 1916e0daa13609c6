-- amendFill sends (written by npm run docs):

begin;

select
  id
from
  accounts
where
  id = $1
for no key update;

insert into
  fill_amendments (account_id, user_id, execution_id, corrected)
values
  ($1, $2, $3, null::jsonb)
  -- Of a correction under the same id there may be more than one.
on conflict (account_id, execution_id) do update
set
  corrected = excluded.corrected,
  amended_at = now()
where
  fill_amendments.corrected ->> 'executionId' = fill_amendments.execution_id
  and fill_amendments.corrected is distinct from excluded.corrected
returning
  execution_id;

with
  before as (
    select
      f.execution_id,
      f.quantity,
      f.order_filled,
      f.broker_order_id
    from
      fills f
    where
      f.account_id = $1
      and f.execution_id = $2
  )
delete from fills f using before
where
  f.account_id = $3
  and f.execution_id = before.execution_id
returning
  f.symbol,
  to_char(f.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at,
  before.broker_order_id,
  before.order_filled,
  before.quantity;

select
  id,
  signal_id,
  role,
  filled_quantity::text as filled,
  case
    when (
      select
        count(*)
      from
        order_broker_ids b
      where
        b.order_id = orders.id
    ) > 1 then (
      select
        coalesce(sum(f.quantity), 0)::text
      from
        fills f
        join order_broker_ids b using (account_id, broker_order_id)
      where
        b.order_id = orders.id
    )
  end as executed
from
  orders
where
  account_id = $1
  and client_order_id = $2;

select
  id
from
  signals
where
  id = $1
for no key update;

update orders
set
  filled_quantity = $1,
  avg_fill_price = null,
  revision = revision + 1,
  updated_at = now(),
  status = case
    when status = 'FILLED'
    and $2::numeric < quantity then 'CANCELLED'
    else status
  end
where
  id = $3;

update signals
set
  filled_quantity = $1,
  avg_fill_price = null,
  updated_at = now()
where
  id = $2;

insert into
  signal_events (signal_id, key, kind, at, message, data)
select
  signal_id,
  $1,
  $2,
  $3::timestamptz,
  $4,
  $5::jsonb
from
  orders
where
  id = $6
on conflict do nothing;

select
  coalesce(
    sum(
      case side
        when 'BUY' then quantity
        else - quantity
      end
    ),
    0
  )::text as held
from
  fills
where
  account_id = $1
  and symbol = $2;

insert into
  alerts (user_id, account_id, signal_id, order_id, symbol, kind, message, data)
select
  user_id,
  id,
  $1::uuid,
  null::uuid,
  null::text,
  $2,
  $3,
  $4::jsonb
from
  accounts
where
  id = $5
on conflict (kind, coalesce(signal_id, order_id, account_id, token_id, strategy_id), coalesce(symbol, ''))
where
  resolved_at is null do update
set
  message = excluded.message,
  data = excluded.data,
  good_since = null
where
  alerts.good_since is not null
  or (alerts.message, alerts.data) is distinct from (excluded.message, excluded.data);

commit;
