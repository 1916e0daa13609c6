-- recordManualOrderNotPlaced sends (written by npm run docs):

with
  held as (
    update manual_orders
    set
      workflow_started_at = coalesce(workflow_started_at, now()),
      denial_code = coalesce(denial_code, $1)
    where
      order_id = $2
      and accepted_at is null
    returning
      user_id,
      order_id
  ),
  ended as (
    update orders
    set
      status = 'REJECTED',
      reason = $3,
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
      $4,
      $5,
      $6::timestamptz,
      $7,
      $8::jsonb
    from
      ended
    on conflict (order_id, key) do nothing
    returning
      key
  )
select
  key
from
  told;
