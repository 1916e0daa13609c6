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
  placed as (
    insert into
      orders (
        user_id,
        account_id,
        signal_id,
        id,
        role,
        client_order_id,
        broker_order_id,
        symbol,
        side,
        order_type,
        quantity,
        limit_price,
        stop_price,
        stop_limit_price,
        trail,
        changed_at,
        extended_hours,
        status,
        filled_quantity,
        avg_fill_price,
        reason,
        submitted_at,
        filled_at,
        ended_at,
        created_at,
        sent_at,
        acknowledged_at,
        time_in_force,
        expires_at
      )
    select
      user_id,
      account_id,
      id,
      $1::uuid,
      $2::text,
      $3::text,
      $4::text,
      $5::text,
      $6::text,
      $7::text,
      $8::numeric,
      null::numeric,
      null::numeric,
      null::numeric,
      null::jsonb,
      null::timestamptz,
      $9::boolean::boolean,
      $10::text,
      $11::numeric,
      null::numeric,
      null::text,
      $12::timestamptz,
      null::timestamptz,
      null::timestamptz,
      least(now(), $13::timestamptz),
      (
        select
          registered_at
        from
          orders_out
        where
          client_order_id = $14::text
      ),
      now(),
      case time_in_force
        when 'gtd' then 'gtd'
        else $15::text
      end,
      expires_at
    from
      signals
    where
      id = $16
      and account_id = $17
      and symbol = $18
      and (
        $19::text = 'exit'
        or target is not null
        or case
          when action in ('openLong', 'closeShort') then 'BUY'
          else 'SELL'
        end = $20
      )
    on conflict do nothing
    returning
      signal_id
  )
insert into
  signal_events (signal_id, key, kind, at, message, data)
select
  signal_id,
  $21,
  $22,
  greatest(
    $23::timestamptz,
    (
      select
        at
      from
        signal_events
      where
        signal_id = placed.signal_id
        and key = 'received'
    )
  ),
  $24,
  $25::jsonb
from
  placed
on conflict (signal_id, key) do nothing;

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
