import { IsolationLevel } from '@mikro-orm/core'
import type { CancelMarks, ExitProgress } from '#domain/exit/progress.ts'
import { parseClientOrderId, type OrderReport, type OrderRole } from '#domain/order/order.ts'
import type { SignalStatus, SignalTerms } from '#domain/signal/signal.ts'
import { asArray, FREED, UNPLACED } from '../engine/query.ts'
import type { EntityManager } from '../engine/database.ts'
import { queryRows } from '../engine/row-security.ts'
import { Order, Signal } from '../entities/index.ts'
import { reportOf } from '../order/reports.ts'
import { termsOf } from './terms.ts'

/**
 * SQL condition on `signals`, as of index `signals_open`: entry unsent or followed, exit order open, or filled beyond
 * the last counted end.
 */
export const IS_OPEN = `(status in ${UNPLACED} or ((order_id is not null or origin = 'adopted') and closings = 0) or exit_status = 'submitted'
  or (filled_quantity > counted_quantity and exit_cancelled_by is null and (exit_rule is not null or protection is not null)))`

export interface RecordedOrder {
  role: OrderRole
  report: OrderReport
  /** UTC instant. */
  newsAt: string
  marks: CancelMarks
}

export interface SignalRecord {
  signal: Signal
  /** As {@link IS_OPEN}. */
  isOpen: boolean
  /** Ended since the last change of levels; if open, then by a late fill. */
  hasEnded: boolean
  orders: RecordedOrder[]
  decisions: Record<string, unknown>
  closings: number
  exitProgress: ExitProgress | null
  exitCancelledBy: string | null
  exitEndedBy: string | null
  /** UTC instant. */
  levelsSince: string | null
}

interface Row extends Omit<SignalRecord, 'signal' | 'orders'> {
  marks: Record<string, CancelMarks> | null
}

export async function readSignalRecord(em: EntityManager, signalId: string): Promise<SignalRecord> {
  return em.fork().transactional(
    async (inner) => {
      const [row] = await inner.execute<Row[]>(
        `select ${IS_OPEN} as "isOpen", (closings > 0 or (status in ${FREED} and order_id is null)) and
             not exists (select from signal_events e where e.signal_id = s.id and e.kind = 'protection_changed'
               and e.sequence > (select max(c.sequence) from signal_events c where c.signal_id = s.id and c.kind = 'closed'))
             as "hasEnded",
           decisions, closings, exit_progress as "exitProgress", exit_cancelled_by as "exitCancelledBy",
           (select e.data ->> 'by' from signal_events e where e.signal_id = s.id and s.protection is null
              and e.kind = 'protection_changed' order by e.sequence desc limit 1) as "exitEndedBy",
           (select to_char(max(e.at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') from signal_events e
            where e.signal_id = s.id and e.kind = 'protection_changed') as "levelsSince",
           (select jsonb_object_agg(client_order_id,
              jsonb_build_object('askedBy', cancel_asked_by, 'cancelledFor', cancelled_for))
            from orders where signal_id = s.id) as marks
         from signals s where id = ?`,
        [signalId],
      )
      if (!row) throw new Error(`there is no signal ${signalId}`)
      const { marks, ...record } = row
      const signal = await inner.findOneOrFail(Signal, { id: signalId })
      const orders = await inner.find(Order, { signalId }, { orderBy: { createdAt: 'asc' } })
      return {
        ...record,
        signal,
        orders: orders.flatMap((order) => {
          const report = reportOf(order)
          if (!report) return []
          const { clientOrderId } = order
          const { role } = parseClientOrderId(clientOrderId)!
          return [{ role, report, newsAt: order.updatedAt.toISOString(), marks: marks![clientOrderId]! }]
        }),
      }
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true },
  )
}

export interface OpenSignal {
  terms: SignalTerms
  status: SignalStatus
  /** The broker has the entry, or the signal never has one. */
  isSent: boolean
}

/** Null without work. */
export async function findOpenSignal(em: EntityManager, signalId: string): Promise<OpenSignal | null> {
  const [row] = await em.execute<{ isSent: boolean }[]>(
    `select origin = 'adopted' or exists (select from orders o where o.client_order_id = signals.id || '-e1'
       and o.broker_order_id is not null) as "isSent"
     from signals where id = ? and ${IS_OPEN}`,
    [signalId],
  )
  if (!row) return null
  const signal = await em.fork().findOneOrFail(Signal, { id: signalId })
  return { terms: termsOf(signal), status: signal.status, isSent: row.isSent }
}

export async function endedAmong(em: EntityManager, signalIds: readonly string[]): Promise<Set<string>> {
  const rows = await queryRows<{ id: string }>(
    em,
    `select id from signals where id = any(?::uuid[]) and closings > 0 and ${IS_OPEN} is not true`,
    [asArray(signalIds)],
  )
  return new Set(rows.map(({ id }) => id))
}
