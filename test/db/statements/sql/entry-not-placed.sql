-- recordNotPlaced sends (written by npm run docs):

with
  changed as (
    update signals
    set
      status = $1,
      status_reason = $2,
      status_detail = $3,
      exit_status = case
        when exit_rule is null then null
        else 'cancelled'
      end,
      workflow_started_at = coalesce(workflow_started_at, now()),
      updated_at = now()
    where
      id = $4
      and status in ($5, $6, $7, $8, $9, $10)
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
      $11,
      $12,
      greatest(
        $13::timestamptz,
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
      $14,
      $15::jsonb
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
      $16,
      $17,
      $18::jsonb
    from
      changed
    where
      forward
      and exists (
        select
        from
          told0
      )
      and exists (
        select
        from
          signals s
        where
          s.id = changed.id
          and (
            s.continues is not null
            or s.execute_mode <> 'immediate'
            and s.decided_at is null
            or greatest(s.accepted_at, s.decided_at) < now() - interval '1 second'
          )
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
