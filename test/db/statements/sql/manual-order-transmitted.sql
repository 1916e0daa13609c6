-- recordManualOrderTransmitted sends (written by npm run docs):

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
  told as (
    insert into
      order_events (user_id, order_id, key, kind, at, message, data)
    select
      user_id,
      order_id,
      $2,
      $3,
      $4::timestamptz,
      $5,
      $6::jsonb
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
