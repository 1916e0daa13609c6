import { IsolationLevel } from '@mikro-orm/core'
import type { CancelMarks, ExitProgress } from '#domain/exit-progress.ts'
import type { OrderReport } from '#domain/order.ts'
import type { EntityManager } from '../engine/database.ts'
import { UNPLACED } from '../engine/status-lists.ts'
import { Order, Signal } from '../entities/index.ts'
import { reportOf } from '../orders/reports.ts'

/** As the condition of the index `signals_unfinished`. */
const UNFINISHED_SIGNAL = `(status in ${UNPLACED} or reopened_by is not null
  or (order_id is not null and closings = 0))`
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
    `select ((select count(*) from signals where ${UNFINISHED_SIGNAL} and workflow_started_at < ?)
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
       from signals where ${UNFINISHED_SIGNAL} and ${on('workflow_started_at', 'id')})
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

export async function isUnfinished(
  em: EntityManager,
  { signalId, orderId }: { signalId: string | null; orderId: string },
): Promise<boolean> {
  const rows = await em.execute<unknown[]>(
    signalId === null
      ? `select from orders o where o.id = ? and ${UNFINISHED_ORDER}`
      : `select from signals where id = ? and ${UNFINISHED_SIGNAL}`,
    [signalId ?? orderId],
  )
  return rows.length > 0
}

interface RecordedOrder {
  report: OrderReport
  /** UTC instant of its last news. */
  newsAt: string
  marks: CancelMarks
}

export interface SignalRecord {
  signal: Signal
  orders: RecordedOrder[]
  /** By key, see `decisions.ts`. */
  decisions: Record<string, unknown>
  closings: number
  exitProgress: ExitProgress | null
  exitCancelledBy: string | null
  planEndedBy: string | null
}

export async function readSignalRecord(em: EntityManager, signalId: string): Promise<SignalRecord | null> {
  return em.fork().transactional(
    async (inner) => {
      const [row] = await inner.execute<
        {
          decisions: Record<string, unknown>
          closings: number
          exit_progress: ExitProgress | null
          exit_cancelled_by: string | null
          plan_ended_by: string | null
          marks: Record<string, CancelMarks> | null
        }[]
      >(
        `select decisions, closings, exit_progress, exit_cancelled_by,
           (select e.data ->> 'by' from signal_events e where e.signal_id = s.id and s.protection is null
              and e.kind = 'protection_changed' order by e.sequence desc limit 1) as plan_ended_by,
           (select jsonb_object_agg(client_order_id,
              jsonb_build_object('askedBy', cancel_asked_by, 'gaveWayTo', cancelled_for))
            from orders where signal_id = s.id) as marks
         from signals s where id = ? and ${UNFINISHED_SIGNAL}`,
        [signalId],
      )
      const signal = row && (await inner.findOne(Signal, { id: signalId }))
      if (!row || !signal) return null
      const orders = await inner.find(Order, { signalId }, { orderBy: { createdAt: 'asc' } })
      return {
        signal,
        orders: orders.flatMap((order) => {
          const report = reportOf(order)
          const newsAt = order.updatedAt.toISOString()
          return report ? [{ report, newsAt, marks: row.marks![order.clientOrderId]! }] : []
        }),
        decisions: row.decisions,
        closings: row.closings,
        exitProgress: row.exit_progress,
        exitCancelledBy: row.exit_cancelled_by,
        planEndedBy: row.plan_ended_by,
      }
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true },
  )
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
  if (!(await isUnfinished(em, { signalId: null, orderId }))) return null
  const order = await em.fork().findOneOrFail(Order, { id: orderId })
  const [cancel] = await em.execute<{ by: string | null }[]>(
    'select cancel_asked_by as by from orders where id = ?',
    [orderId],
  )
  return { userId: order.userId, report: reportOf(order), cancelledBy: cancel?.by ?? null }
}
