-- recordManualOrderClosed sends (written by npm run docs):

with
  held as (
    update manual_orders
    set
      workflow_started_at = coalesce(workflow_started_at, now())
    where
      order_id = $1
    returning
      user_id,
      order_id
  ),
  acknowledged as (
    update orders
    set
      end_acknowledged_at = coalesce(end_acknowledged_at, now())
    from
      held
    where
      id = order_id
      and filled_quantity <= $2::numeric
      and status in ('FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED')
    returning
      id
  ),
  told as (
    insert into
      order_events (user_id, order_id, key, kind, at, message, data)
    select
      user_id,
      order_id,
      $3,
      $4,
      $5::timestamptz,
      $6,
      $7::jsonb
    from
      held
    on conflict (order_id, key) do nothing
    returning
      key
  )
select
  key
from
  told;
