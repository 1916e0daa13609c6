-- recordTransmitted sends (written by npm run docs):

with
  changed as (
    update manual_orders
    set
      workflow_started_at = coalesce(workflow_started_at, now())
    where
      order_id = $1
    returning
      order_id as id,
      user_id,
      (
        select
          o.account_id
        from
          orders o
        where
          o.id = order_id
      ) as account_id
  ),
  told0 as (
    insert into
      order_events (order_id, user_id, key, kind, at, message, data)
    select
      id,
      user_id,
      $2,
      $3,
      greatest(
        $4::timestamptz,
        (
          select
            at
          from
            order_events
          where
            order_id = changed.id
            and key = 'placed'
        )
      ),
      $5,
      $6::jsonb
    from
      changed
    on conflict (order_id, key) do nothing
    returning
      key
  )
select
  account_id,
  1 as placed,
  false as acknowledged
from
  changed;
