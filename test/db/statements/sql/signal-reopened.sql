-- reopenSignal sends (written by npm run docs):

with
  held as materialized (
    select
      id as held_id,
      reopened_by is null as is_new
    from
      signals
    where
      id = $1
      and reopen_state is not null
      and (
        reopened_by is null
        and not exists (
          select
          from
            jsonb_array_elements(coalesce(reopen_state #> '{resumeState,reports}', '[]')) as known,
            orders o
          where
            o.client_order_id = signals.id || '-e1'
            and known #>> '{report,clientOrderId}' = o.client_order_id
            and o.filled_quantity <= (known #>> '{report,filledQuantity}')::numeric
        )
        or reopened_by = $2
      )
    for no key update
  ),
  reopened as (
    update signals
    set
      reopened_by = $3,
      updated_at = now()
    from
      held
    where
      id = held_id
    returning
      id,
      user_id,
      account_id,
      closings,
      reopen_state,
      is_new
  ),
  raised as (
    insert into
      alerts (user_id, account_id, signal_id, kind, message, data)
    select
      user_id,
      account_id,
      id,
      $4,
      $5,
      $6::jsonb
    from
      reopened
    where
      is_new
    on conflict (kind, coalesce(signal_id, order_id, account_id, token_id, strategy_id), coalesce(symbol, ''))
    where
      resolved_at is null do update
    set
      message = excluded.message,
      data = excluded.data,
      good_since = null
    returning
      id
  ),
  told as (
    insert into
      signal_events (signal_id, key, kind, at, message, data)
    select
      id,
      $7 || case
        when closings = 1 then ''
        else '-' || closings
      end,
      $8,
      $9::timestamptz,
      $10,
      'null'::jsonb
    from
      reopened
    on conflict (signal_id, key) do nothing
    returning
      key
  )
select
  reopen_state -> 'resumeState' as "resumeState"
from
  reopened;
