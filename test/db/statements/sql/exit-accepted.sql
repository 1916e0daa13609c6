-- recordAccepted sends (written by npm run docs):

with
  held as materialized (
    select
      id as held_id,
      coalesce(
        exit_generation < $1::int4
        or (
          exit_generation = $2::int4
          and exit_status = any (array[$3, $4, $5]::text[])
        ),
        true
      ) as forward,
      coalesce(
        exit_generation < $6::int4
        or (
          exit_generation = $7::int4
          and exit_status = any (array[$8, $9]::text[])
        ),
        true
      ) as further
    from
      signals
    where
      id = $10
    for no key update
  ),
  changed as (
    update signals
    set
      exit_status = case
        when forward then $11
        else exit_status
      end,
      exit_generation = case
        when forward then $12::int4
        else exit_generation
      end,
      exit_order_id = case
        when forward then $13
        else exit_order_id
      end,
      exit_reason = case
        when forward then null
        else exit_reason
      end,
      workflow_started_at = coalesce(workflow_started_at, now()),
      updated_at = now()
    from
      held
    where
      id = held_id
    returning
      id,
      user_id,
      account_id,
      time_in_force,
      expires_at,
      forward,
      further
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
      $14::uuid,
      $15::text,
      $16::text,
      $17::text,
      $18::text,
      $19::text,
      $20::text,
      $21::numeric,
      null::numeric,
      null::numeric,
      null::numeric,
      null::jsonb,
      null::timestamptz,
      $22::boolean::boolean,
      $23::text,
      $24::numeric,
      null::numeric,
      null::text,
      $25::timestamptz,
      null::timestamptz,
      null::timestamptz,
      least(now(), $26::timestamptz),
      (
        select
          registered_at
        from
          orders_out
        where
          client_order_id = $27::text
      ),
      now(),
      $28::text,
      null::timestamptz
    from
      changed
    on conflict do nothing
    returning
      id
  ),
  acknowledged0 as (
    update orders
    set
      end_acknowledged_at = coalesce(end_acknowledged_at, now())
    where
      client_order_id = $29
      and filled_quantity <= $30::numeric
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
      signal_events (signal_id, key, kind, at, message, data)
    select
      id,
      $31,
      $32,
      greatest(
        $33::timestamptz,
        (
          select
            at
          from
            signal_events
          where
            signal_id = changed.id
            and key = 'received'
        )
      ),
      $34,
      $35::jsonb
    from
      changed
    on conflict (signal_id, key) do nothing
    returning
      key
  ),
  raised0 as (
    insert into
      alerts (user_id, account_id, signal_id, order_id, kind, message, data)
    select
      user_id,
      account_id,
      id,
      null::uuid,
      $36,
      $37,
      $38::jsonb
    from
      changed
    where
      forward
      and exists (
        select
        from
          signals p,
          lateral (
            select
              p.decisions -> $39::text as size
          ) sized
        where
          p.id = changed.id
          and size -> 'leaves' is not null
          and size -> 'isFraction' is null
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
  ),
  resolved0 as (
    update alerts
    set
      resolved_at = now()
    where
      resolved_at is null
      and kind = $40
      and signal_id = (
        select
          id
        from
          changed
        where
          further
      )
      and not exists (
        select
        from
          signals p,
          lateral (
            select
              p.decisions -> $41::text as size
          ) sized
        where
          p.id = alerts.signal_id
          and size -> 'leaves' is not null
      )
    returning
      id
  ),
  resolved1 as (
    update alerts
    set
      resolved_at = now()
    where
      resolved_at is null
      and kind = $42
      and signal_id = (
        select
          id
        from
          changed
        where
          further
      )
      and not exists (
        select
        from
          signals p,
          lateral (
            select
              p.decisions -> $43::text as size
          ) sized
        where
          p.id = alerts.signal_id
          and size -> 'leaves' is not null
      )
      and not exists (
        select
        from
          signals s
        where
          s.id = alerts.signal_id
          and s.reopen_state #> '{resumeState,exit,uncovered}' <> '[]'
      )
    returning
      id
  )
select
  account_id,
  (
    select
      count(*)::int
    from
      placed
  ) as placed,
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
