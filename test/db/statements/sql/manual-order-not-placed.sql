-- recordNotPlaced sends (written by npm run docs):

with
  changed as (
    update manual_orders
    set
      workflow_started_at = coalesce(workflow_started_at, now()),
      denial_code = coalesce(denial_code, $1)
    where
      order_id = $2
      and accepted_at is null
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
      status = $3,
      reason = $4,
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
      $5,
      $6,
      greatest(
        $7::timestamptz,
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
      $8,
      $9::jsonb
    from
      ended
    on conflict (order_id, key) do nothing
    returning
      key
  ),
  raised0 as (
    insert into
      alerts (user_id, account_id, signal_id, order_id, kind, message, data)
    select
      user_id,
      account_id,
      null::uuid,
      id,
      $10,
      $11,
      $12::jsonb
    from
      changed
    where
      true
      and exists (
        select
        from
          told0
      )
      and exists (
        select
        from
          orders o
        where
          o.id = changed.id
          and o.created_at < now() - interval '1 second'
      )
    on conflict (kind, coalesce(signal_id, order_id, account_id, token_id, strategy_id), coalesce(symbol, ''))
    where
      resolved_at is null do update
    set
      message = excluded.message,
      data = excluded.data,
      good_since = null
    returning
      acknowledged_at is not null as acknowledged
  )
select
  account_id,
  1 as placed,
  (
    select
      bool_or(acknowledged)
    from
      (
        select
          acknowledged
        from
          raised0
      ) r
  ) as acknowledged
from
  changed;
