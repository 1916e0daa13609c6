import { soldElsewhere, type SharesClosedElsewhere } from '#domain/alert/broker-alerts.ts'
import { decimal } from '#domain/money/decimal.ts'
import type { EntityManager } from '../engine/database.ts'
import { raiseAlert } from '../alert/alerts.ts'

/** SQL condition on older executions: an order of ours may be recorded later. */
const CLOSED_ELSEWHERE = `t.status = 'CLOSED' and t.exit_order_ids = '{}' and t.signal_id is not null
  and t.exit_at > now() - interval '2 days'
  and exists (select from fills f where f.account_id = t.account_id and f.symbol = t.symbol and f.at = t.exit_at
    and f.order_id is null and f.broker_order_id is not null
    and f.recorded_at < now() - ? * interval '1 millisecond')`

/** Milliseconds until an execution has its order. */
const ATTRIBUTED_WITHIN = 15_000

/** Alerts again for more shares. `attributedWithin`: milliseconds. */
export async function notifyOfClosedElsewhere(
  em: EntityManager,
  accountId: string,
  attributedWithin = ATTRIBUTED_WITHIN,
): Promise<void> {
  const rows = await em.execute<
    (Record<'closed' | 'filled' | 'left', string> &
      Pick<SharesClosedElsewhere, 'symbol' | 'side' | 'hasExit'> & { signalId: string })[]
  >(
    `select c.signal_id as "signalId", s.symbol, c.closed::text, s.filled_quantity::text as filled,
       coalesce((select sum(quantity) from trades o
         where o.account_id = s.account_id and o.signal_id = s.id and o.status = 'OPEN'), 0)::text as left,
       case s.action when 'openLong' then 'LONG' else 'SHORT' end as side,
       coalesce(s.exit_status in ('waiting', 'scheduled', 'submitted'), false) as "hasExit"
     from (
       select t.signal_id, sum(t.quantity) as closed from trades t
       where t.account_id = ? and ${CLOSED_ELSEWHERE} group by t.signal_id) c
     join signals s on s.id = c.signal_id
     where not exists (
       select from alerts a where a.kind = 'sold_elsewhere' and a.signal_id = s.id
         and (a.data ->> 'closed')::numeric >= c.closed)`,
    [accountId, attributedWithin],
  )
  for (const { signalId, closed, filled, left, ...told } of rows)
    await raiseAlert(
      em,
      { accountId, signalId },
      soldElsewhere({ ...told, closed: decimal(closed), filled: decimal(filled), left: decimal(left) }),
    )
}
