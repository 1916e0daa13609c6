import type { TimedPhase } from '#domain/signal/timing.ts'
import type { EntityManager } from '../engine/database.ts'
import { INSTANTS_SQL, PHASES_SQL } from '../signal/timing.ts'

export interface PhaseNews {
  phases: { phase: TimedPhase; seconds: number }[]
  refusals: string[]
}

const PHASES_BATCH = 2_000

/** SQL: phases that an event ends. */
const ENDED_SQL = `
  case when e.key = first_entry || '-acknowledged' then phase in ('checked', 'sent', 'acknowledged', 'total')
    when e.key = first_exit || '-acknowledged' then phase = 'exit_sent'
    when e.kind = 'order_progress' and e.data ->> 'status' = 'FILLED'
      then phase = case o.role when 'entry' then 'filled' when 'exit' then 'closed' end
    else false end`

export async function newestEvent(em: EntityManager): Promise<string> {
  const [row] = await em.execute<{ newest: string }[]>(
    'select coalesce(max(sequence), 0)::text as newest from signal_events',
  )
  return row!.newest
}

/** Bounds by {@link newestEvent}, the first excluded. */
export async function readPhaseNews(em: EntityManager, after: string, upTo: string): Promise<PhaseNews> {
  const rows = await em.execute<{ phase: TimedPhase | null; seconds: number; reason: string | null }[]>(
    `with news as materialized (
       select * from signal_events where sequence > ? and sequence <= ?
         and kind in ('acknowledged', 'order_progress', 'rejected', 'not_placed')
       order by sequence limit ${PHASES_BATCH})
     select phase, seconds::float8, null as reason
     from news e join signals s on s.id = e.signal_id
     left join orders o on o.client_order_id = e.data ->> 'clientOrderId', ${INSTANTS_SQL}, ${PHASES_SQL}
     where s.ask is null and e.kind in ('acknowledged', 'order_progress') and seconds is not null and ${ENDED_SQL}
     union all
     select null, null, s.status_reason from news e join signals s on s.id = e.signal_id
     where s.ask is null and e.kind in ('rejected', 'not_placed') and s.status_reason is not null`,
    [after, upTo],
  )
  return {
    phases: rows.flatMap(({ phase, seconds }) => (phase === null ? [] : [{ phase, seconds }])),
    refusals: rows.flatMap(({ reason }) => (reason === null ? [] : [reason])),
  }
}
