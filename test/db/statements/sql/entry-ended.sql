-- applyOrderReport sends (written by npm run docs):

select
  id,
  signal_id,
  broker_order_id,
  status,
  quantity::text,
  filled_quantity::text,
  avg_fill_price::text,
  reason,
  filled_at,
  ended_at,
  expires_at,
  end_acknowledged_at,
  revision,
  limit_price::text,
  stop_price::text,
  stop_limit_price::text,
  trail,
  changed_at,
  (
    select
      coalesce(
        json_agg(
          json_build_object('id', e.broker_order_id, 'quantity', e.quantity::text, 'value', e.value::text, 'lastAt', e.last_at)
        ),
        '[]'
      )
    from
      (
        select
          b.broker_order_id,
          coalesce(sum(f.quantity), 0) as quantity,
          coalesce(sum(f.quantity * f.price), 0) as value,
          max(f.at) as last_at
        from
          order_broker_ids b
          left join fills f on f.account_id = b.account_id
          and f.broker_order_id = b.broker_order_id
        where
          b.order_id = orders.id
        group by
          b.broker_order_id
      ) e
  ) as executed
from
  orders
where
  client_order_id = $1
  and account_id = $2;

with
  held as materialized (
    select
      id
    from
      signals
    where
      id = $1
    for no key update
  ),
  merged as (
    update orders
    set
      status = $2,
      filled_quantity = $3,
      avg_fill_price = $4,
      reason = null,
      filled_at = $5,
      ended_at = $6,
      quantity = $7,
      cancelled_for = case
        when orders.status not in ('PENDING', 'OPEN', 'PARTIALLY_FILLED')
        or (
          exists (
            select
            from
              signals c
            where
              c.id || '-e1' = orders.cancelled_for
              and c.account_id = orders.account_id
              and c.symbol = orders.symbol
              and c.entry_ended_at is null
              and c.status in ('queued', 'transmitted', 'executed')
          )
          or exists (
            select
            from
              orders c
            where
              c.client_order_id = orders.cancelled_for
              and c.role = 'manual'
              and c.status in ('PENDING', 'OPEN', 'PARTIALLY_FILLED')
          )
        )
        or least(coalesce($8::timestamptz, now()), now()) < orders.cancelled_for_at + interval '1 minute' then orders.cancelled_for
      end,
      end_acknowledged_at = null,
      revision = revision + 1,
      updated_at = now()
    where
      id = $9
      and revision = $10::int4
      and signal_id = (
        select
          id
        from
          held
      )
    returning
      id,
      signal_id,
      role,
      end_acknowledged_at
  ),
  mirrored as (
    update signals
    set
      filled_quantity = $11,
      avg_fill_price = $12,
      updated_at = now(),
      entry_ended_at = coalesce(entry_ended_at, now())
    from
      merged
    where
      signals.id = merged.signal_id
      and merged.role = 'entry'
    returning
      signals.id
  ),
  told as (
    insert into
      signal_events (signal_id, key, kind, at, message, data)
    select
      signal_id,
      $13,
      $14,
      greatest(
        $15::timestamptz,
        (
          select
            at
          from
            signal_events
          where
            signal_id = merged.signal_id
            and key = 'received'
        )
      ),
      $16,
      $17::jsonb
    from
      merged
    on conflict (signal_id, key) do nothing
    returning
      key
  )
select
  end_acknowledged_at is not null as acknowledged
from
  merged;
