import {
  PHASE_SPANS,
  SIGNAL_INSTANTS,
  TIMED_PHASES,
  type SignalInstant,
  type TimedPhase,
} from '#domain/signal/timing.ts'
import { exchangeDaySql, exchangeMidnightSql } from '../engine/day-starts.ts'
import type { EntityManager } from '../engine/database.ts'
import { queryRows } from '../engine/row-security.ts'

/** SQL: {@link SIGNAL_INSTANTS} and client order ids, by our clock; fills by the broker's. */
export const INSTANTS_SQL = `lateral (
  select s.accepted_at as "receivedAt",
    coalesce(s.decided_at, case s.execute_mode when 'immediate' then s.accepted_at when 'scheduled' then s.scheduled_at end)
      as "startedAt",
    s.checked_at as "checkedAt", o.*,
    coalesce((
      select (plan.data ->> 'submitAt')::timestamptz from signal_events plan
      join signal_events taken on taken.signal_id = s.id and taken.key = o.first_exit || '-acknowledged'
      where plan.signal_id = s.id and plan.kind = 'exit_planned' and plan.sequence < taken.sequence
      order by plan.sequence desc limit 1), s.exit_submit_at) as "exitDueAt"
  from (
    select min(sent_at) filter (where role <> 'exit') as "sentAt",
      min(acknowledged_at) filter (where role <> 'exit') as "acknowledgedAt",
      max(filled_at) filter (where role <> 'exit') as "filledAt",
      min(sent_at) filter (where role = 'exit') as "exitSentAt",
      max(filled_at) filter (where role = 'exit') as "exitFilledAt",
      (array_agg(client_order_id order by sent_at, created_at) filter (where role <> 'exit'))[1] as first_entry,
      (array_agg(client_order_id order by sent_at, created_at) filter (where role = 'exit'))[1] as first_exit
    from orders where signal_id = s.id and user_id = s.user_id) o) instants`

/** SQL: phases of {@link INSTANTS_SQL} in seconds; null: not ended. */
export const PHASES_SQL = `lateral (values ${TIMED_PHASES.map((phase) => {
  const { since, until } = PHASE_SPANS[phase]
  const begin = `coalesce(${since.map((name) => `"${name}"`).join(', ')})`
  return `('${phase}', case when "${until}" < ${begin} then 0 else extract(epoch from "${until}" - ${begin}) end)`
}).join(', ')}) as span (phase, seconds)`

/** Null: has not happened, or is unknown. */
export type SignalInstants = Record<SignalInstant, Date | null>

export async function findInstants(
  em: EntityManager,
  userId: string,
  signalId: string,
): Promise<SignalInstants> {
  const [row] = await queryRows<Record<SignalInstant, string | Date | null>>(
    em,
    `select instants.* from signals s, ${INSTANTS_SQL} where s.id = ? and s.user_id = ?`,
    [signalId, userId],
  )
  const read = (name: SignalInstant): Date | null => {
    const value = row?.[name] ?? null
    return value === null ? null : new Date(value)
  }
  return Object.fromEntries(SIGNAL_INSTANTS.map((name) => [name, read(name)])) as SignalInstants
}

/** Milliseconds of a day's signals. */
export interface PhasePercentiles {
  phase: TimedPhase
  count: number
  p50Ms: number
  p95Ms: number
  p99Ms: number
}

/** Exchange days, YYYY-MM-DD, both included. */
export interface DayRange {
  from: string
  to: string
}

/** By day of receipt, without empty days and phases. */
export async function readPercentiles(
  em: EntityManager,
  userId: string,
  { from, to }: DayRange,
  accountId: string | null,
): Promise<{ date: string; phases: PhasePercentiles[] }[]> {
  const rows = await queryRows<{ date: string; phase: TimedPhase; count: number; took: number[] }>(
    em,
    `select ${exchangeDaySql('s.accepted_at')}::text as date, phase, count(*)::int as count,
       percentile_cont(array[0.5, 0.95, 0.99]) within group (order by seconds * 1000::float8) as took
     from signals s, ${INSTANTS_SQL}, ${PHASES_SQL}
     where s.user_id = ? and s.ask is null and s.accepted_at >= ${exchangeMidnightSql('?::date')}
       and s.accepted_at < ${exchangeMidnightSql('?::date + 1')}
       and (?::uuid is null or s.account_id = ?::uuid) and seconds is not null
     group by 1, 2 order by 1`,
    [userId, from, to, accountId, accountId],
  )
  const days = new Map<string, PhasePercentiles[]>()
  for (const { date, phase, count, took } of rows) {
    const phases = days.get(date) ?? []
    days.set(date, phases)
    const [p50Ms, p95Ms, p99Ms] = took.map(toMicroseconds) as [number, number, number]
    phases.push({ phase, count, p50Ms, p95Ms, p99Ms })
  }
  const inOrder = ({ phase }: PhasePercentiles): number => TIMED_PHASES.indexOf(phase)
  return [...days].map(([date, phases]) => ({
    date,
    phases: phases.toSorted((a, b) => inOrder(a) - inOrder(b)),
  }))
}

const toMicroseconds = (ms: number): number => Math.round(ms * 1_000) / 1_000
