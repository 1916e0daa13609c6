import { parseClientOrderId } from '#domain/order.ts'
import type { EntityManager } from '../engine/database.ts'

/**
 * Phases of signals. sent, acknowledged: from the acceptance of an immediate signal until its entry has left, until its broker has
 * accepted it. filled: from there until the entry has filled. exit_sent: from the planned instant until the broker has
 * accepted the exit order.
 */
export type SignalPhase = 'sent' | 'acknowledged' | 'filled' | 'exit_sent'

/** What has happened to signals since a reading. */
export interface PhaseNews {
  phases: { phase: SignalPhase; seconds: number }[]
  /** Reasons, such as denial codes, of entries that were not placed. */
  refusals: string[]
}

/** Events that one reading takes on at most. */
const BATCH = 2_000

interface EventRow {
  kind: 'acknowledged' | 'order_progress' | 'rejected' | 'not_placed'
  client_order_id: string | null
  status: string | null
  reason: string | null
  immediate: boolean
  sent_after: number | null
  after_acceptance: number
  after_acknowledgement: number | null
  after_due: number | null
}

/** The number of the newest event. */
export async function newestEvent(em: EntityManager): Promise<string> {
  const [row] = await em.execute<{ newest: string }[]>(
    'select coalesce(max(sequence), 0)::text as newest from signal_events',
  )
  return row!.newest
}

/** Reads the events after one and up to another; their numbers as of {@link newestEvent}. */
export async function readPhaseNews(em: EntityManager, after: string, upTo: string): Promise<PhaseNews> {
  const rows = await em.execute<EventRow[]>(
    `select e.kind, e.data ->> 'clientOrderId' as client_order_id, e.data ->> 'status' as status,
       s.status_reason as reason, s.execute_mode = 'immediate' as immediate,
       extract(epoch from o.registered_at - s.accepted_at)::float8 as sent_after,
       extract(epoch from e.at - s.accepted_at)::float8 as after_acceptance,
       extract(epoch from e.at - (
         select a.at from signal_events a where a.signal_id = e.signal_id
           and a.key = (e.data ->> 'clientOrderId') || '-acknowledged'))::float8 as after_acknowledgement,
       extract(epoch from e.at - (
         select (p.data ->> 'submitAt')::timestamptz from signal_events p where p.signal_id = e.signal_id
           and p.kind = 'exit_planned' and p.sequence < e.sequence order by p.sequence desc limit 1))::float8 as after_due
     from signal_events e
     join signals s on s.id = e.signal_id
     left join orders_out o on o.client_order_id = e.data ->> 'clientOrderId'
     where e.sequence > ? and e.sequence <= ?
       and e.kind in ('acknowledged', 'order_progress', 'rejected', 'not_placed')
     order by e.sequence limit ${BATCH}`,
    [after, upTo],
  )
  return {
    phases: rows.flatMap(phasesOf),
    refusals: rows.flatMap(({ kind, reason }) =>
      (kind === 'rejected' || kind === 'not_placed') && reason !== null ? [reason] : [],
    ),
  }
}

function phasesOf(row: EventRow): PhaseNews['phases'] {
  const order = row.client_order_id === null ? null : parseClientOrderId(row.client_order_id)
  if (order === null) return []
  const phases: [SignalPhase, number | null][] = []
  if (row.kind === 'acknowledged' && order.role === 'exit') phases.push(['exit_sent', row.after_due])
  if (row.kind === 'acknowledged' && order.role === 'entry' && row.immediate)
    phases.push(['sent', row.sent_after], ['acknowledged', row.after_acceptance])
  if (row.kind === 'order_progress' && order.role === 'entry' && row.status === 'FILLED')
    phases.push(['filled', row.after_acknowledgement])
  // Instants of a broker are by its own clock.
  return phases.flatMap(([phase, seconds]) =>
    seconds === null ? [] : [{ phase, seconds: Math.max(0, seconds) }],
  )
}
