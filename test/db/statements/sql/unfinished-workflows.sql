-- listUnfinished sends (written by npm run docs):

select
  id as "signalId",
  null as "orderId",
  account_id as "accountId"
from
  signals
where
  (
    status in ('pending', 'scheduled', 'queued', 'transmitted')
    or (
      order_id is not null
      and (
        closings = 0
        or reopened_by is not null
      )
    )
  )
  and workflow_started_at < $1
union all
select
  null,
  o.id,
  o.account_id
from
  orders o
  join manual_orders h on h.order_id = o.id
where
  o.role = 'manual'
  and o.end_acknowledged_at is null
  and not exists (
    select
    from
      order_events e
    where
      e.order_id = o.id
      and e.kind in ('closed', 'rejected', 'not_placed', 'cancelled')
  )
  and h.workflow_started_at < $2;
