import { decimal, type Decimal } from '#domain/money/decimal.ts'
import { isTerminal, type OrderReport } from '#domain/order/order.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOf, type StoredInstant, UNFILLED_ENDS } from '../engine/query.ts'
import type { FollowedOrder } from './reports.ts'
import { isGivenUp } from './throttle.ts'

/** Each ended order needs a request: the broker may have filled it. */
const ENDS_ASKED_FOR = 50

export interface LedgerOrder extends FollowedOrder {
  clientOrderId: string
  brokerOrderId: string
  status: OrderReport['status']
  filledQuantity: Decimal
  ended: boolean
  acknowledged: boolean
  isGivenUp: boolean
  /** UTC instant. */
  submittedAt: string
  /** UTC instant. */
  updatedAt: string
}

interface Row extends Omit<LedgerOrder, 'ended' | 'isGivenUp' | 'submittedAt' | 'updatedAt'> {
  unconfirmedSince: StoredInstant | null
  submittedAt: StoredInstant
  updatedAt: StoredInstant
}

/**
 * Orders with an end unknown to workflows, listed orders, and the last unlisted incomplete ones; oldest change first.
 */
export async function ordersToCompare(
  em: EntityManager,
  accountId: string,
  listed: readonly string[] = [],
  endedSince: string | null = null,
): Promise<LedgerOrder[]> {
  const rows = await em.execute<Row[]>(
    `with listed as (select jsonb_array_elements_text(?::jsonb) as client_order_id),
     compared as (
       select id from orders where account_id = ? and end_acknowledged_at is null
       union
       select id from orders join listed using (client_order_id) where account_id = ?
       union
       (select id from orders where account_id = ? and end_acknowledged_at >= ?::timestamptz
          and status in ${UNFILLED_ENDS} and broker_order_id is not null
          and client_order_id not in (select client_order_id from listed)
        order by end_acknowledged_at desc limit ${ENDS_ASKED_FOR}))
     select id as "orderId", signal_id as "signalId", client_order_id as "clientOrderId",
       broker_order_id as "brokerOrderId", status, filled_quantity::text as "filledQuantity",
       end_acknowledged_at is not null as acknowledged, unconfirmed_since as "unconfirmedSince",
       submitted_at as "submittedAt", updated_at as "updatedAt"
     from orders join compared using (id) where broker_order_id is not null
     order by updated_at, client_order_id`,
    [toStorableJson(listed), accountId, accountId, accountId, endedSince],
  )
  return rows.map(({ unconfirmedSince, ...row }) => ({
    ...row,
    filledQuantity: decimal(row.filledQuantity),
    ended: isTerminal(row.status),
    isGivenUp: isGivenUp({ status: row.status, unconfirmed_since: unconfirmedSince }),
    submittedAt: instantOf(row.submittedAt),
    updatedAt: instantOf(row.updatedAt),
  }))
}
