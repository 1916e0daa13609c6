import { WAITS_FOR_SESSION } from './advisory.ts'
import { marketPhaseAt } from './market-phase.ts'
import type { OrderTerms, TimeInForce } from './order.ts'
import type { TradingSession } from './session.ts'

const KEPT: ReadonlySet<TimeInForce> = new Set(['day', 'gtc', 'gtd'])
/** Milliseconds: a shorter gap between two sessions is none. */
const SHORTEST_WAIT = 60_000

/** Null for an order that does not wait, and where the calendar does not reach that far. */
export function waitsForSession(
  { timeInForce, extendedHours }: Pick<OrderTerms, 'timeInForce' | 'extendedHours'>,
  now: number,
  sessions: readonly TradingSession[],
): { code: string; message: string } | null {
  if (!KEPT.has(timeInForce)) return null
  const phase = marketPhaseAt(now, sessions)
  if (phase === 'regular' || (phase === 'extended' && extendedHours)) return null
  const ahead = sessions.map(({ opensAt }) => opensAt).filter((opensAt) => Date.parse(opensAt) > now)
  const next = ahead.toSorted().at(0)
  if (next === undefined || Date.parse(next) - now < SHORTEST_WAIT) return null
  return {
    code: WAITS_FOR_SESSION,
    message: `The exchange is closed: the order waits at the broker for the next session, which opens at ${next}. Cancel it if it is not to wait`,
  }
}
