-- recordManualOrderCancelRequested sends (written by npm run docs):

with
  held as (
    select
      user_id,
      order_id
    from
      manual_orders
    where
      order_id = $1
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
