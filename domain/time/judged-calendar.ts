import type { TradingSession } from './session.ts'

/** A calendar's fault, or null: a wrong one would send an order into a closed market. It must reach beyond `after`. */
export function calendarFault(sessions: readonly TradingSession[], after: string): string | null {
  for (const [index, session] of sessions.entries()) {
    const { date, opensAt, closesAt } = session
    const [opens, closes] = [Date.parse(opensAt), Date.parse(closesAt)]
    if (Number.isNaN(opens) || Number.isNaN(closes)) return `the session of ${date} has no hours`
    if (closes <= opens) return `the session of ${date} closes before it opens`
    const before = sessions[index - 1]
    if (before === undefined) continue
    if (before.date === date) return `it lists ${date} twice`
    if (before.date > date || Date.parse(before.closesAt) > opens)
      return `its days are out of order (${before.date}, ${date})`
  }
  const last = sessions.at(-1)
  if (last === undefined) return 'it lists no session at all'
  if (Date.parse(last.closesAt) <= Date.parse(after)) return `it ends on ${last.date}, before ${after}`
  return null
}

/** Days on which an exit's schedule depends. */
export interface ScheduledBy {
  /** Local dates, both included; other days had no session. */
  from: string
  to: string
  sessions: TradingSession[]
}

/** The days from the entry's end (`since`) to the exit (`until`, within the last session). */
export function scheduledBy(
  sessions: readonly TradingSession[],
  since: string,
  until: string,
): ScheduledBy | null {
  const counting = sessions.filter(
    ({ opensAt, closesAt }) =>
      Date.parse(closesAt) > Date.parse(since) && Date.parse(opensAt) <= Date.parse(until),
  )
  const [first, last] = [counting[0], counting.at(-1)]
  if (first === undefined || last === undefined) return null
  const from = first.date < since.slice(0, 10) ? first.date : since.slice(0, 10)
  return { from, to: last.date, sessions: sessions.filter(({ date }) => date >= from && date <= last.date) }
}

export function stillAsScheduled(
  planned: ScheduledBy,
  sessions: readonly TradingSession[],
  now: string,
): boolean {
  const said = (all: readonly TradingSession[]): string =>
    JSON.stringify(
      all
        .filter(({ date, closesAt }) => date >= planned.from && date <= planned.to && closesAt > now)
        .map(({ date, opensAt, closesAt }) => [date, Date.parse(opensAt), Date.parse(closesAt)]),
    )
  return said(planned.sessions) === said(sessions)
}
