-- recordExitTrouble sends (written by npm run docs):

with
  held as materialized (
    select
      id as held_id,
      coalesce(
        exit_generation < $1::int4
        or (
          exit_generation = $2::int4
          and exit_status = any (array[$3, $4]::text[])
        ),
        true
      ) as forward,
      coalesce(
        exit_generation < $5::int4
        or (
          exit_generation = $6::int4
          and exit_status = any (array[$7]::text[])
        ),
        true
      ) as further
    from
      signals
    where
      id = $8
    for no key update
  ),
  changed as (
    update signals
    set
      exit_status = case
        when forward then $9
        else exit_status
      end,
      exit_generation = case
        when forward then $10::int4
        else exit_generation
      end,
      exit_reason = case
        when forward then $11
        else exit_reason
      end,
      exit_due_at = case
        when forward then $12
        else exit_due_at
      end,
      exit_submit_at = case
        when forward then $13
        else exit_submit_at
      end,
      decisions = jsonb_set(decisions, array[$14::text, 'stopped'], 'true'),
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
      client_order_id = $15
      and filled_quantity <= $16::numeric
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
      $17,
      $18,
      greatest(
        $19::timestamptz,
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
      $20,
      $21::jsonb
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
      $22,
      $23,
      $24::jsonb
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
  raised1 as (
    insert into
      alerts (user_id, account_id, signal_id, order_id, kind, message, data)
    select
      user_id,
      account_id,
      null::uuid,
      null::uuid,
      $25,
      $26,
      $27::jsonb
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
        union all
        select
          acknowledged
        from
          raised1
      ) r
  ) as acknowledged
from
  changed;
