-- listUnfinished sends (written by npm run docs):

(
  select
    id as "signalId",
    null::uuid as "orderId",
    account_id as "accountId",
    workflow_started_at::text as "startedAt",
    id,
    workflow_started_at as since
  from
    signals
  where
    (
      status in ('pending', 'scheduled', 'queued', 'transmitted')
      or reopened_by is not null
      or (
        order_id is not null
        and closings = 0
      )
    )
    and workflow_started_at < $1
    and (workflow_started_at, id) > ($2::timestamptz, $3::uuid)
  order by
    workflow_started_at,
    id
  limit
    $4::int4
)
union all
(
  select
    null,
    o.id,
    o.account_id,
    h.workflow_started_at::text,
    o.id,
    h.workflow_started_at
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
    and h.workflow_started_at < $5
    and (h.workflow_started_at, o.id) > ($6::timestamptz, $7::uuid)
  order by
    h.workflow_started_at,
    o.id
  limit
    $8::int4
)
order by
  since,
  id
limit
  $9::int4;
