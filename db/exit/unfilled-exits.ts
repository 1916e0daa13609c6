import type { WorkingExit } from '#domain/alert/broker-alerts.ts'
import type { EntityManager } from '../engine/database.ts'
import { toStorableJson } from '../engine/json.ts'
import { instantOf, type StoredInstant, WORKING } from '../engine/query.ts'

/** SQL condition on `o`: an exit at the broker. */
const IS_AT_BROKER = `o.role = 'exit' and o.status in ${WORKING} and o.broker_order_id is not null`
/** SQL condition on `o`: the order should fill at once. */
const IS_DUE_TO_FILL = `o.order_type = 'market' and o.time_in_force not in ('cls', 'opg')`
/** SQL condition on `o`: the price is beyond a stop's limit. */
const IS_PASSED_OVER = `exists (
    select from protections p
    where p.signal_id = o.signal_id and p.ended_at is null and case p.side when 'LONG' then 1 else -1 end
      * (p.price - case o.order_type when 'stopLimit' then o.limit_price else o.stop_limit_price end) < 0)`

type ExitToFill = WorkingExit & { signalId: string; submittedAt: string; isPassedOver: boolean }

export async function exitsToFill(em: EntityManager, accountId: string): Promise<ExitToFill[]> {
  const rows = await em.execute<(Omit<ExitToFill, 'submittedAt'> & { submittedAt: StoredInstant })[]>(
    `select o.signal_id as "signalId", o.client_order_id as "clientOrderId", o.symbol, o.side, ${IS_PASSED_OVER} as "isPassedOver",
       trim_scale(o.quantity)::text as quantity, trim_scale(o.filled_quantity)::text as "filledQuantity", o.submitted_at as "submittedAt"
     from orders o where o.account_id = ? and ${IS_AT_BROKER} and (${IS_DUE_TO_FILL} or ${IS_PASSED_OVER})
     order by o.submitted_at`,
    [accountId],
  )
  return rows.map((exit) => ({ ...exit, submittedAt: instantOf(exit.submittedAt) }))
}

export async function endUnfilledExits(em: EntityManager, accountId: string): Promise<void> {
  await em.execute(
    `update alerts set resolved_at = now()
     where account_id = ? and kind = 'exit_unfilled' and resolved_at is null and not exists (
       select from orders o
       where o.signal_id = alerts.signal_id and ${IS_AT_BROKER} and (${IS_DUE_TO_FILL} or ${IS_PASSED_OVER}))`,
    [accountId],
  )
}

/**
 * Signals with an open exit in symbols with amended or recent foreign fills, or with adopted shares that another order
 * traded.
 */
export async function exitsBesideFills(
  em: EntityManager,
  accountId: string,
  amended: readonly string[],
): Promise<string[]> {
  const rows = await em.execute<{ signalId: string }[]>(
    `select distinct o.signal_id as "signalId" from orders o
     where o.account_id = ? and o.role = 'exit' and o.status in ${WORKING} and (o.symbol in (select jsonb_array_elements_text(?::jsonb)) or o.symbol in (
       select f.symbol from fills f
       where f.account_id = o.account_id and f.order_id is null and f.recorded_at > now() - interval '1 minute'))
     union
     select s.id from signals s
     where s.account_id = ? and s.origin = 'adopted' and s.closings = 0 and exists (
       select from fills f left join orders o on o.id = f.order_id
       where f.account_id = s.account_id and f.symbol = s.symbol and f.recorded_at > now() - interval '1 minute'
         and o.signal_id is distinct from s.id)`,
    [accountId, toStorableJson(amended), accountId],
  )
  return rows.map(({ signalId }) => signalId)
}
