-- acknowledgeEnds sends (written by npm run docs):

with
  changed as (
    update signals
    set
      workflow_started_at = coalesce(workflow_started_at, now()),
      updated_at = now()
    where
      id = $1
    returning
      id,
      user_id,
      account_id,
      time_in_force,
      expires_at,
      true as forward,
      true as further
  ),
  acknowledged0 as (
    update orders
    set
      end_acknowledged_at = coalesce(end_acknowledged_at, now())
    where
      client_order_id = $2
      and filled_quantity <= $3::numeric
      and status in ('FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED')
      and exists (
        select
        from
          changed
      )
    returning
      id
  )
select
  account_id,
  1 as placed,
  false as acknowledged
from
  changed;
