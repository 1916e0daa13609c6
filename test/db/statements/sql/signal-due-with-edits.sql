-- recordDue sends (written by npm run docs):

begin;

with
  turn as materialized (
    select
      decided_by,
      turn_at,
      pg_advisory_xact_lock(hashtextextended (account_id::text || ' ' || symbol, 0))
    from
      signals
    where
      id = $1
  )
select
  case
    when decided_by is null then clock_timestamp()
    else turn_at
  end as at
from
  turn;

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
      turn_at = $7,
      decisions = jsonb_build_object(
        'asSent',
        jsonb_build_object('quantity', trim_scale(quantity)::text, 'limitPrice', trim_scale(limit_price)::text)
      ) || case
        when decisions -> 'entry' ->> 'outcome' = 'held' then decisions - 'entry'
        else decisions
      end,
      workflow_started_at = coalesce(workflow_started_at, now()),
      updated_at = now()
    where
      id = $8
      and status in ($9, $10, $11)
      and decisions #>> '{entry,refused,approvedAt}' is distinct from $12
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
      $13,
      $14,
      greatest(
        $15::timestamptz,
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
      $16,
      $17::jsonb
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

commit;
