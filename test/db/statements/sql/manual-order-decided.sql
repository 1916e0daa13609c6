-- decideManualOrderOnce sends (written by npm run docs):

with
  kept as (
    update manual_orders
    set
      decision = coalesce(decision, $1::jsonb),
      workflow_started_at = coalesce(workflow_started_at, now())
    where
      order_id = $2
    returning
      order_id,
      decision
  ),
  shaped as (
    update orders
    set
      side = decision ->> 'side',
      quantity = (decision ->> 'quantity')::numeric,
      updated_at = now()
    from
      kept
    where
      orders.id = kept.order_id
      and decision ->> 'outcome' = 'ready'
      and (side, quantity) is distinct from (decision ->> 'side', (decision ->> 'quantity')::numeric)
    returning
      id
  )
select
  decision
from
  kept;
