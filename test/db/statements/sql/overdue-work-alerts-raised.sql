-- raiseOverdue sends (written by npm run docs):

insert into
  alerts (user_id, account_id, signal_id, order_id, kind, message, data)
select distinct
  on (x.kind, coalesce(x."signalId", x."orderId", x."accountId")) a.user_id,
  a.id,
  x."signalId",
  x."orderId",
  x.kind,
  x.message,
  x.data
from
  jsonb_to_recordset($1::jsonb) as x ("accountId" uuid, "signalId" uuid, "orderId" uuid, kind text, message text, data jsonb)
  join accounts a on a.id = x."accountId"
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
