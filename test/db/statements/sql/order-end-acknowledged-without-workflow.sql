-- acknowledgeUnfollowed sends (written by npm run docs):

with
  acknowledged as (
    update orders
    set
      end_acknowledged_at = now()
    where
      client_order_id = $1
      and end_acknowledged_at is null
      and filled_quantity <= $2::numeric
    returning
      user_id,
      account_id,
      signal_id,
      case
        when signal_id is null then id
      end as order_id
  )
insert into
  alerts (user_id, account_id, signal_id, order_id, kind, message, data)
select
  user_id,
  account_id,
  signal_id,
  order_id,
  $3,
  $4,
  $5::jsonb
from
  acknowledged
on conflict (kind, coalesce(signal_id, order_id, account_id, token_id, strategy_id), coalesce(symbol, ''))
where
  resolved_at is null do update
set
  message = excluded.message,
  data = excluded.data,
  good_since = null;
