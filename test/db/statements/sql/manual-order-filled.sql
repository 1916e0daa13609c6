-- applyOrderReport sends (written by npm run docs):

select
  id,
  signal_id,
  broker_order_id,
  status,
  quantity::text,
  filled_quantity::text,
  avg_fill_price::text,
  reason,
  filled_at,
  ended_at,
  expires_at,
  end_acknowledged_at,
  revision
from
  orders
where
  client_order_id = $1
  and account_id = $2;

with
  held as materialized (
    select
      order_id
    from
      manual_orders
    where
      order_id = $1
    for no key update
  ),
  merged as (
    update orders
    set
      status = $2,
      filled_quantity = $3,
      avg_fill_price = $4,
      reason = null,
      filled_at = $5,
      ended_at = $6,
      end_acknowledged_at = null,
      revision = revision + 1,
      updated_at = now()
    where
      id = $7
      and revision = $8::int4
      and id = (
        select
          order_id
        from
          held
      )
    returning
      id,
      user_id,
      end_acknowledged_at
  ),
  told as (
    insert into
      order_events (user_id, order_id, key, kind, at, message, data)
    select
      user_id,
      id,
      $9,
      $10,
      $11::timestamptz,
      $12,
      $13::jsonb
    from
      merged
    on conflict (order_id, key) do nothing
    returning
      key
  )
select
  end_acknowledged_at is not null as acknowledged
from
  merged;
