import type { OrderReport } from '#domain/order.ts'
import type { EntityManager } from '../engine/database.ts'
import { Order } from '../entities/index.ts'
import { reportOf } from '../orders/reports.ts'
import { IS_OPEN } from '../signals/record.ts'

/** An order whose end was dealt with is open again only until its late fill is noted. */
const UNFINISHED_ORDER = `o.role = 'manual' and o.end_acknowledged_at is null and not exists (
  select from order_events e where e.order_id = o.id and e.kind in ('closed', 'rejected', 'not_placed', 'cancelled'))`

export interface Unfinished {
  signalId: string | null
  orderId: string | null
  accountId: string
}

export async function countUnfinished(em: EntityManager, startedBefore: string): Promise<number> {
  const [row] = await em.execute<{ count: number }[]>(
    `select ((select count(*) from signals where ${IS_OPEN} and workflow_started_at < ?)
       + (select count(*) from orders o join manual_orders h on h.order_id = o.id
          where ${UNFINISHED_ORDER} and h.workflow_started_at < ?))::int as count`,
    [startedBefore, startedBefore],
  )
  return row!.count
}

export interface UnfinishedPlace {
  /** Start of the workflow, as exactly as stored. */
  startedAt: string
  id: string
}

/** In the order of their start, from behind `after` on; null for the beginning. */
export async function listUnfinished(
  em: EntityManager,
  startedBefore: string,
  limit: number,
  after: UnfinishedPlace | null = null,
): Promise<(Unfinished & { place: UnfinishedPlace })[]> {
  const on = (startedAt: string, id: string) =>
    `${startedAt} < ?${after ? ` and (${startedAt}, ${id}) > (?::timestamptz, ?::uuid)` : ''}
       order by ${startedAt}, ${id} limit ?`
  const bounds = [startedBefore, ...(after ? [after.startedAt, after.id] : []), limit]
  const rows = await em.execute<(Unfinished & UnfinishedPlace)[]>(
    `(select id as "signalId", null::uuid as "orderId", account_id as "accountId",
         workflow_started_at::text as "startedAt", id, workflow_started_at as since
       from signals where ${IS_OPEN} and ${on('workflow_started_at', 'id')})
     union all
     (select null, o.id, o.account_id, h.workflow_started_at::text, o.id, h.workflow_started_at
       from orders o join manual_orders h on h.order_id = o.id
       where ${UNFINISHED_ORDER} and ${on('h.workflow_started_at', 'o.id')})
     order by since, id limit ?`,
    [...bounds, ...bounds, limit],
  )
  return rows.map(({ signalId, orderId, accountId, startedAt, id }) => ({
    signalId,
    orderId,
    accountId,
    place: { startedAt, id },
  }))
}

export async function* unfinishedInSlices(
  em: EntityManager,
  startedBefore: string,
  size = 1_000,
): AsyncGenerator<Unfinished[]> {
  let slice: Awaited<ReturnType<typeof listUnfinished>> = []
  do {
    slice = await listUnfinished(em, startedBefore, size, slice.at(-1)?.place)
    yield slice
  } while (slice.length === size)
}

export async function isUnfinishedOrder(em: EntityManager, orderId: string): Promise<boolean> {
  const rows = await em.execute<unknown[]>(`select from orders o where o.id = ? and ${UNFINISHED_ORDER}`, [
    orderId,
  ])
  return rows.length > 0
}

export interface ManualOrderRecord {
  userId: string
  report: OrderReport | null
  cancelledBy: string | null
}

export async function readManualOrderRecord(
  em: EntityManager,
  orderId: string,
): Promise<ManualOrderRecord | null> {
  if (!(await isUnfinishedOrder(em, orderId))) return null
  const order = await em.fork().findOneOrFail(Order, { id: orderId })
  const [cancel] = await em.execute<{ by: string | null }[]>(
    'select cancel_asked_by as by from orders where id = ?',
    [orderId],
  )
  return { userId: order.userId, report: reportOf(order), cancelledBy: cancel?.by ?? null }
}
