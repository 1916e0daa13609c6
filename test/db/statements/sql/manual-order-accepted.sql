-- recordManualOrderAccepted sends (written by npm run docs):

with
  held as (
    update manual_orders
    set
      workflow_started_at = coalesce(workflow_started_at, now()),
      accepted_at = coalesce(accepted_at, now())
    where
      order_id = $1
    returning
      user_id,
      order_id,
      decision is null as is_undecided
  ),
  placed as (
    update orders
    set
      broker_order_id = $2,
      submitted_at = $3,
      revision = revision + 1,
      updated_at = now(),
      side = case
        when is_undecided then $4
        else side
      end,
      quantity = case
        when is_undecided then $5::numeric
        else quantity
      end,
      status = case
        when status = 'PENDING' then $6
        else status
      end
    from
      held
    where
      id = order_id
      and broker_order_id is null
    returning
      orders.user_id,
      order_id
  ),
  told as (
    insert into
      order_events (user_id, order_id, key, kind, at, message, data)
    select
      user_id,
      order_id,
      $7,
      $8,
      greatest(
        $9::timestamptz,
        (
          select
            at
          from
            order_events
          where
            order_id = placed.order_id
            and key = 'placed'
        )
      ),
      $10,
      $11::jsonb
    from
      placed
    on conflict (order_id, key) do nothing
    returning
      key
  )
select
  order_id
from
  held;
