-- recordAccepted sends (written by npm run docs):

with
  changed as (
    update signals
    set
      status = $1,
      order_id = $2,
      status_reason = null,
      status_detail = null,
      advisories = case
        when advisories @> $3::jsonb then advisories
        else advisories || $4::jsonb
      end,
      workflow_started_at = coalesce(workflow_started_at, now()),
      updated_at = now()
    where
      id = $5
      and status in ($6, $7, $8, $9, $10)
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
      $11::uuid,
      $12::text,
      $13::text,
      $14::text,
      $15::text,
      $16::text,
      $17::text,
      $18::numeric,
      null::numeric,
      null::numeric,
      null::numeric,
      null::jsonb,
      null::timestamptz,
      $19::boolean::boolean,
      $20::text,
      $21::numeric,
      null::numeric,
      null::text,
      $22::timestamptz,
      null::timestamptz,
      null::timestamptz,
      least(now(), $23::timestamptz),
      (
        select
          registered_at
        from
          send_permits
        where
          client_order_id = $24::text
      ),
      now(),
      case time_in_force
        when 'gtd' then 'gtd'
        else $25::text
      end,
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
      $26,
      $27,
      greatest(
        $28::timestamptz,
        (
          select
            at
          from
            signal_events
          where
            signal_id = changed.id
            and key in ('received', 'placed')
        )
      ),
      $29,
      $30::jsonb
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
