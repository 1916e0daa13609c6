-- recordDue sends (written by npm run docs):

select
  json_build_object(
    'symbol',
    o.symbol,
    'side',
    o.side,
    'orderType',
    o.order_type,
    'quantity',
    trim_scale(o.quantity)::text,
    'limitPrice',
    trim_scale(o.limit_price)::text,
    'stopPrice',
    trim_scale(o.stop_price)::text,
    'sentAt',
    o.submitted_at
  ) as sent
from
  orders o
where
  o.client_order_id = $1;

with
  changed as (
    update signals
    set
      status = $1,
      quantity = $2,
      limit_price = $3,
      send_before = $4,
      decided_by = $5,
      decided_at = $6,
      decisions = case
        when decisions -> 'entry' ->> 'outcome' = 'held' then decisions - 'entry'
        else decisions
      end,
      workflow_started_at = coalesce(workflow_started_at, now()),
      updated_at = now()
    where
      id = $7
      and status in ($8, $9, $10)
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
  )
select
  account_id,
  1 as placed,
  false as acknowledged
from
  changed;
