-- recordAccepted sends (written by npm run docs):

with
  changed as (
    update signals
    set
      status = $1,
      order_id = $2,
      status_reason = null,
      status_detail = null,
      filled_quantity = case
        when not exists (
          select
          from
            orders
          where
            client_order_id = $3::text
        )
        and filled_quantity < $4::numeric then $5::numeric
        else filled_quantity
      end,
      avg_fill_price = case
        when not exists (
          select
          from
            orders
          where
            client_order_id = $6::text
        )
        and filled_quantity < $7::numeric then $8::numeric
        else avg_fill_price
      end,
      entry_ended_at = case
        when exists (
          select
          from
            orders
          where
            client_order_id = $9::text
        ) then entry_ended_at
        else coalesce(entry_ended_at, now())
      end,
      workflow_started_at = coalesce(workflow_started_at, now()),
      updated_at = now()
    where
      id = $10
      and status in ($11, $12, $13, $14, $15)
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
      $16::uuid,
      $17::text,
      $18::text,
      $19::text,
      $20::text,
      $21::text,
      $22::text,
      $23::numeric,
      null::numeric,
      null::numeric,
      null::numeric,
      null::jsonb,
      null::timestamptz,
      $24::boolean::boolean,
      $25::text,
      $26::numeric,
      $27::numeric,
      null::text,
      $28::timestamptz,
      $29::timestamptz,
      null::timestamptz,
      least(now(), $30::timestamptz),
      (
        select
          registered_at
        from
          orders_out
        where
          client_order_id = $31::text
      ),
      now(),
      case time_in_force
        when 'gtd' then 'gtd'
        else $32::text
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
      $33,
      $34,
      greatest(
        $35::timestamptz,
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
      $36,
      $37::jsonb
    from
      changed
    on conflict (signal_id, key) do nothing
    returning
      key
  ),
  told_progress as (
    insert into
      signal_events (signal_id, key, kind, at, message, data)
    select
      id,
      $38,
      $39,
      greatest(
        $40::timestamptz,
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
      $41,
      $42::jsonb
    from
      changed
    where
      exists (
        select
        from
          placed
      )
      and (
        select
          count(*)
        from
          told0
      ) >= 0
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
