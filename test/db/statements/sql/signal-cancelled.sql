-- recordCancelled sends (written by npm run docs):

with
  changed as (
    update signals
    set
      status = $1,
      status_reason = case
        when decisions #> '{entry,stopped}' is not null
        and status = 'cancelled' then status_reason
        else $2
      end,
      status_detail = case
        when decisions #> '{entry,stopped}' is not null
        and status = 'cancelled' then status_detail
        else $3
      end,
      exit_status = case
        when exit_rule is null then null
        else 'cancelled'
      end,
      decisions = decisions || jsonb_build_object($4::text, $5::jsonb),
      workflow_started_at = coalesce(workflow_started_at, now()),
      updated_at = now()
    where
      id = $6
      and status in ($7, $8, $9, $10, $11, $12)
      and (
        decisions -> $13::text -> 'stopped' is not null
        or (
          decisions -> $14::text is null
          or decisions -> $15::text ->> 'outcome' = 'held'
        )
        and not exists (
          select
          from
            orders o
          where
            o.client_order_id = signals.id || '-e1'
        )
      )
    returning
      id,
      user_id,
      account_id,
      time_in_force,
      expires_at,
      true as forward,
      true as further
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
            at
          from
            signal_events
          where
            signal_id = changed.id
            and key = 'received'
        )
      ),
      $19,
      $20::jsonb
    from
      changed
    on conflict (signal_id, key) do nothing
    returning
      key
  )
select
  account_id,
  1 as placed,
  false as acknowledged
from
  changed;
