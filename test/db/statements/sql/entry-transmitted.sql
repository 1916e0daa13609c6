-- recordTransmitted sends (written by npm run docs):

with
  changed as (
    update signals
    set
      status = $1,
      status_detail = $2,
      workflow_started_at = coalesce(workflow_started_at, now()),
      updated_at = now()
    where
      id = $3
      and status in ($4, $5, $6, $7)
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
      $8,
      $9,
      greatest(
        $10::timestamptz,
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
      $11,
      $12::jsonb
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
