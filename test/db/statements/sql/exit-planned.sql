-- recordExitPlanned sends (written by npm run docs):

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
      exit_submit_at = case
        when forward then $11
        else exit_submit_at
      end,
      exit_due_at = case
        when forward then $12
        else exit_due_at
      end,
      exit_calendar = case
        when forward then null
        else exit_calendar
      end,
      exit_progress = case
        when forward then $13
        else exit_progress
      end,
      exit_reason = case
        when further then null
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
  acknowledged0 as (
    update orders
    set
      end_acknowledged_at = coalesce(end_acknowledged_at, now())
    where
      client_order_id = $14
      and filled_quantity <= $15::numeric
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
      $16,
      $17,
      greatest(
        $18::timestamptz,
        (
          select
            max(at)
          from
            signal_events
          where
            signal_id = changed.id
        )
      ),
      $19,
      $20::jsonb
    from
      changed
    on conflict (signal_id, key) do nothing
    returning
      key
  ),
  resolved0 as (
    update alerts
    set
      resolved_at = now()
    where
      resolved_at is null
      and kind = $21
      and signal_id = (
        select
          id
        from
          changed
        where
          further
      )
      and alerts.data ->> 'trouble' = 'unplanned'
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
  1 as placed,
  false as acknowledged
from
  changed;
