-- recordCancelRequested sends (written by npm run docs):

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
  asked as (
    update orders
    set
      cancel_asked_by = coalesce(cancel_asked_by, $2)
    where
      client_order_id = $3
      and exists (
        select
        from
          changed
      )
    returning
      id
  ),
  told0 as (
    insert into
      order_events (order_id, user_id, key, kind, at, message, data)
    select
      id,
      user_id,
      $4,
      $5,
      greatest(
        $6::timestamptz,
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
      $7,
      $8::jsonb
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
