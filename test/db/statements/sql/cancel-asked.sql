-- recordCancelRequested sends (written by npm run docs):

with
  changed as (
    update signals
    set
      workflow_started_at = coalesce(workflow_started_at, now()),
      updated_at = now()
    where
      id = $1
    returning
      id,
      user_id,
      account_id,
      time_in_force,
      expires_at,
      true as forward,
      true as further
  ),
  asked as (
    update orders
    set
      cancel_asked_by = coalesce(cancel_asked_by, $2)
    where
      client_order_id = $3
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
      $4,
      $5,
      greatest(
        $6::timestamptz,
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
      $7,
      $8::jsonb
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
