-- recordManualOrderCancelled sends (written by npm run docs):

with
  held as (
    update manual_orders
    set
      workflow_started_at = coalesce(workflow_started_at, now()),
      decision = $1::jsonb
    where
      order_id = $2
      and (
        decision is null
        or decision = $3::jsonb
      )
    returning
      user_id,
      order_id
  ),
  ended as (
    update orders
    set
      status = 'CANCELLED',
      reason = $4,
      end_acknowledged_at = now(),
      revision = revision + 1,
      updated_at = now()
    from
      held
    where
      id = order_id
      and status = 'PENDING'
    returning
      orders.user_id,
      order_id
  ),
  told as (
    insert into
      order_events (user_id, order_id, key, kind, at, message, data)
    select
      user_id,
      order_id,
      $5,
      $6,
      $7::timestamptz,
      $8,
      $9::jsonb
    from
      ended
    on conflict (order_id, key) do nothing
    returning
      key
  )
select
  order_id
from
  held;
