-- recordCancelled sends (written by npm run docs):

with
  changed as (
    update manual_orders
    set
      workflow_started_at = coalesce(workflow_started_at, now()),
      decision = $1::jsonb
    where
      order_id = $2
      and (
        decision is null
        and accepted_at is null
        or decision = $3::jsonb
      )
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
  ended as (
    update orders
    set
      status = $4,
      reason = $5,
      end_acknowledged_at = now(),
      revision = revision + 1,
      updated_at = now()
    from
      changed
    where
      orders.id = changed.id
      and status = 'PENDING'
    returning
      orders.id,
      orders.user_id
  ),
  told0 as (
    insert into
      order_events (order_id, user_id, key, kind, at, message, data)
    select
      id,
      user_id,
      $6,
      $7,
      greatest(
        $8::timestamptz,
        (
          select
            at
          from
            order_events
          where
            order_id = ended.id
            and key = 'placed'
        )
      ),
      $9,
      $10::jsonb
    from
      ended
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
