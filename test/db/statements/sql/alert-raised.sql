-- raiseAlert sends (written by npm run docs):

insert into
  alerts (user_id, account_id, signal_id, order_id, symbol, kind, message, data)
select
  user_id,
  id,
  null::uuid,
  null::uuid,
  null::text,
  $1,
  $2,
  $3::jsonb
from
  accounts
where
  id = $4
on conflict (kind, coalesce(signal_id, order_id, account_id, token_id, strategy_id), coalesce(symbol, ''))
where
  resolved_at is null do update
set
  message = excluded.message,
  data = excluded.data,
  good_since = null
where
  alerts.good_since is not null
  or (alerts.message, alerts.data) is distinct from (excluded.message, excluded.data);
