import type { GivingWay } from '#domain/closing-time.ts'
import type { CancelMarks } from '#domain/exit-progress.ts'
import { nameOfOrder, type LiveOrder } from '#domain/symbol-book.ts'
import { givesWayEntry } from '#domain/timeline.ts'
import type { EntityManager } from '../engine/database.ts'
import { instantOf, type StoredInstant } from '../engine/instants.ts'
import { WORKING } from '../engine/status-lists.ts'
import { write } from './ledger-write.ts'

/** Written before the broker is asked: the end may be reported at once. `closer`: of the blocked order. */
export async function recordCancelledFor(
  em: EntityManager,
  { clientOrderId }: Pick<LiveOrder, 'clientOrderId'>,
  closer: string,
  at: string,
): Promise<void> {
  const [order] = await em.execute<{ signalId: string }[]>(
    `update orders set cancelled_for = ?, cancelled_for_at = now() where client_order_id = ? and status in ${WORKING}
     returning signal_id as "signalId"`,
    [closer, clientOrderId],
  )
  if (!order) return
  await write(em, order.signalId, { set: {}, timeline: [givesWayEntry(at, clientOrderId, closer)] })
}

export async function readCancelMarks(em: EntityManager, clientOrderId: string): Promise<CancelMarks> {
  const [marks] = await em.execute<CancelMarks[]>(
    'select cancel_asked_by as "askedBy", cancelled_for as "gaveWayTo" from orders where client_order_id = ?',
    [clientOrderId],
  )
  return marks ?? { askedBy: null, gaveWayTo: null }
}

/** Our orders that are or were cancelled for `closer`; null without any. */
export async function readGivingWay(
  em: EntityManager,
  { accountId, symbol }: { accountId: string; symbol: string },
  closer: string,
): Promise<(GivingWay & { asOf: string }) | null> {
  const rows = await em.execute<
    (Parameters<typeof nameOfOrder>[0] & { works: boolean; asked_at: StoredInstant; as_of: StoredInstant })[]
  >(
    `select side, trim_scale(quantity - filled_quantity)::text as open, symbol, order_type as "orderType",
       trim_scale(limit_price)::text as "limitPrice", trim_scale(stop_price)::text as "stopPrice",
       client_order_id as "clientOrderId", status in ${WORKING} as works, cancelled_for_at as asked_at, now() as as_of
     from orders where account_id = ? and symbol = ? and cancelled_for is not null and cancelled_for = ?
     order by cancelled_for_at desc`,
    [accountId, symbol, closer],
  )
  const [last] = rows
  if (!last) return null
  return {
    working: rows.filter(({ works }) => works).map(nameOfOrder),
    askedAt: instantOf(last.asked_at),
    asOf: instantOf(last.as_of),
  }
}
