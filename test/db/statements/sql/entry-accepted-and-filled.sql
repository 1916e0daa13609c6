-- recordAccepted sends (written by npm run docs):

with
  changed as (
    update signals
    set
      status = $1,
      order_id = $2,
      status_reason = null,
      status_detail = null,
      workflow_started_at = coalesce(workflow_started_at, now()),
      updated_at = now()
    where
      id = $3
      and status in ($4, $5, $6, $7, $8)
    returning
      id,
      user_id,
      account_id,
      time_in_force,
      expires_at,
      true as forward,
      true as further
  ),
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
      $9::uuid,
      $10::text,
      $11::text,
      $12::text,
      $13::text,
      $14::text,
      $15::text,
      $16::numeric,
      null::numeric,
      null::numeric,
      $17::boolean::boolean,
      $18::text,
      $19::numeric,
      null::numeric,
      null::text,
      $20::timestamptz,
      null::timestamptz,
      null::timestamptz,
      least(now(), $21::timestamptz),
      (
        select
          registered_at
        from
          orders_out
        where
          client_order_id = $22::text
      ),
      now(),
      time_in_force,
      expires_at
    from
      changed
    on conflict do nothing
    returning
      id
  ),
  told0 as (
    insert into
      signal_events (signal_id, key, kind, at, message, data)
    select
      id,
      $23,
      $24,
      $25::timestamptz,
      $26,
      $27::jsonb
    from
      changed
    on conflict (signal_id, key) do nothing
    returning
      key
  )
select
  account_id,
  (
    select
      count(*)::int
    from
      placed
  ) as placed,
  false as acknowledged
from
  changed;

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
  revision
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
      end_acknowledged_at = null,
      revision = revision + 1,
      updated_at = now()
    where
      id = $7
      and revision = $8::int4
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
      filled_quantity = $9,
      avg_fill_price = $10,
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
      $11,
      $12,
      $13::timestamptz,
      $14,
      $15::jsonb
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
