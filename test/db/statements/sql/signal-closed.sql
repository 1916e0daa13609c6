-- recordClosed sends (written by npm run docs):

with
  held as materialized (
    select
      id as held_id,
      coalesce(
        exit_generation < $1::int4
        or (
          exit_generation = $2::int4
          and exit_status = any (array[$3, $4, $5, $6]::text[])
        ),
        true
      ) as forward,
      coalesce(
        exit_generation < $7::int4
        or (
          exit_generation = $8::int4
          and exit_status = any (array[$9, $10, $11]::text[])
        ),
        true
      ) as further
    from
      signals
    where
      id = $12
    for no key update
  ),
  changed as (
    update signals
    set
      exit_status = case
        when forward then $13
        else exit_status
      end,
      exit_generation = case
        when forward then $14::int4
        else exit_generation
      end,
      exit_reason = case
        when forward then null
        else exit_reason
      end,
      reopen_state = case
        when closings < $15::int4 then $16::jsonb
        else reopen_state
      end,
      exit_progress = case
        when closings < $17::int4 then null::jsonb
        else exit_progress
      end,
      reopened_by = case
        when closings < $18::int4 then null
        else reopened_by
      end,
      closings = case
        when closings < $19::int4 then $20::int4
        else closings
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
  acknowledged0 as (
    update orders
    set
      end_acknowledged_at = coalesce(end_acknowledged_at, now())
    where
      client_order_id = $21
      and filled_quantity <= $22::numeric
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
      $23,
      $24,
      greatest(
        $25::timestamptz,
        (
          select
            max(at)
          from
            signal_events
          where
            signal_id = changed.id
        )
      ),
      $26,
      $27::jsonb
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
      $28,
      $29,
      $30::jsonb
    from
      changed
    where
      forward
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
      and kind = $31
      and signal_id = (
        select
          id
        from
          changed
        where
          further
      )
      and exists (
        select
        from
          told0
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
      and kind = $32
      and signal_id = (
        select
          id
        from
          changed
        where
          further
      )
      and exists (
        select
        from
          told0
      )
    returning
      id
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
