-- recordExitCancelled sends (written by npm run docs):

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
      and (
        decisions -> $13::text -> 'stopped' is not null
        or (
          decisions -> $14::text is null
          or decisions -> $15::text ->> 'outcome' = 'held'
        )
      )
    for no key update
  ),
  changed as (
    update signals
    set
      exit_cancelled_by = $16,
      exit_status = case
        when forward then $17
        else exit_status
      end,
      exit_generation = case
        when forward then $18::int4
        else exit_generation
      end,
      exit_reason = case
        when forward then $19
        else exit_reason
      end,
      decisions = decisions || jsonb_build_object($20::text, $21::jsonb),
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
  told0 as (
    insert into
      signal_events (signal_id, key, kind, at, message, data)
    select
      id,
      $22,
      $23,
      greatest(
        $24::timestamptz,
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
      $25,
      $26::jsonb
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
      and kind = $27
      and signal_id = (
        select
          id
        from
          changed
        where
          further
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
      and kind = $28
      and signal_id = (
        select
          id
        from
          changed
        where
          further
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
