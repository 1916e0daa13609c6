-- raiseAlertOf sends (written by npm run docs):

with
  concerned as (
    select
      user_id,
      account_id,
      id
    from
      signals
    where
      id = $1
  ),
  raised as (
    insert into
      alerts (user_id, account_id, signal_id, kind, message, data)
    select
      user_id,
      account_id,
      id,
      $2,
      $3,
      $4::jsonb
    from
      concerned
    where
      not exists (
        select
        from
          alerts
        where
          kind = $5
          and coalesce(signal_id, order_id, account_id, token_id, strategy_id) = $6
          and data ->> 'at' >= $7
      )
    on conflict (kind, coalesce(signal_id, order_id, account_id, token_id, strategy_id), coalesce(symbol, ''))
    where
      resolved_at is null do update
    set
      message = excluded.message,
      data = excluded.data,
      good_since = null
  )
select
  id
from
  concerned;
