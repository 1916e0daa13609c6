-- raiseAlert sends (written by npm run docs):

insert into
  alerts (user_id, account_id, signal_id, order_id, kind, message, data)
select
  user_id,
  id,
  null::uuid,
  null::uuid,
  $1,
  $2,
  $3::jsonb
from
  accounts
where
  id = $4
on conflict (kind, coalesce(signal_id, order_id, account_id))
where
  resolved_at is null do update
set
  message = excluded.message,
  data = excluded.data
where
  (alerts.message, alerts.data) is distinct from (excluded.message, excluded.data);
