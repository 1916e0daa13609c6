-- recordClosed sends (written by npm run docs):

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
  acknowledged0 as (
    update orders
    set
      end_acknowledged_at = coalesce(end_acknowledged_at, now())
    where
      client_order_id = $2
      and filled_quantity <= $3::numeric
      and status in ('FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED')
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
            max(at)
          from
            order_events
          where
            order_id = changed.id
        )
      ),
      $7,
      $8::jsonb
    from
      changed
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
      $9,
      $10,
      $11::jsonb
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
          and o.filled_quantity < o.quantity
          and o.cancel_asked_by is null
          and case
            when o.cancelled_for is null then o.status in ('', 'CANCELLED', 'REJECTED', 'EXPIRED')
            when (
              exists (
                select
                from
                  orders c
                  join manual_orders m on m.order_id = c.id
                where
                  c.client_order_id = o.cancelled_for
                  and m.token_id is null
              )
              or exists (
                select
                from
                  signals c
                where
                  c.id || '-e1' = o.cancelled_for
                  and (
                    c.token_id is null
                    or c.decided_by is not null
                  )
              )
            ) then o.status in ('')
            else o.status in ('', 'CANCELLED', 'REJECTED', 'EXPIRED')
          end
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
