import { decimal, type Decimal } from '#domain/decimal.ts'
import type { ExecutedLink } from '#domain/order-executions.ts'
import { brokerIdsOf, type OrderReport } from '#domain/order.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOrNull } from '../engine/instants.ts'

// A broker makes another order, with another id, when a person changes one.
export interface ExecutedRow {
  id: string
  quantity: Decimal
  value: Decimal
  lastAt: string | null
}

/** SQL: the executed quantity under each id that an order has had at its broker. */
export const EXECUTED = `(
  select coalesce(json_agg(json_build_object('id', e.broker_order_id, 'quantity', e.quantity::text, 'value', e.value::text,
    'lastAt', e.last_at)), '[]') from (
    select b.broker_order_id, coalesce(sum(f.quantity), 0) as quantity, coalesce(sum(f.quantity * f.price), 0) as value,
      max(f.at) as last_at
    from order_broker_ids b left join fills f on f.account_id = b.account_id and f.broker_order_id = b.broker_order_id
    where b.order_id = orders.id group by b.broker_order_id) e)`

export const executedLinks = (rows: readonly ExecutedRow[]): ExecutedLink[] =>
  rows.map(({ id, quantity, value, lastAt }) => ({
    brokerOrderId: id,
    quantity: decimal(quantity),
    value: decimal(value),
    lastAt: instantOrNull(lastAt),
  }))

/** True when the report names ids that the ledger lacked. */
export async function noteBrokerIds(
  em: EntityManager,
  accountId: string,
  { id, executed }: { id: string; executed: readonly ExecutedRow[] },
  report: OrderReport,
): Promise<boolean> {
  const known = new Set(executed.map((link) => link.id))
  const missing = brokerIdsOf(report).filter((each) => !known.has(each))
  if (missing.length === 0) return false
  const noted = await em.execute<unknown[]>(
    `insert into order_broker_ids (account_id, broker_order_id, user_id, order_id)
     select ?, named.id, user_id, orders.id from orders, jsonb_array_elements_text(?::jsonb) as named (id)
     where orders.id = ? on conflict do nothing returning broker_order_id`,
    [accountId, toStorableJson(missing), id],
  )
  return noted.length > 0
}
