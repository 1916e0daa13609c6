import type { TimeInForce } from './order.ts'
import type { TradingSession } from './session.ts'

/** Outside a session at the next opening; for an auction then; for extended hours, or without a session, at once. */
export function earliestFill(
  { timeInForce, extendedHours }: { timeInForce: TimeInForce; extendedHours: boolean },
  sentAt: string,
  sessions: readonly TradingSession[],
): string {
  if (extendedHours) return sentAt
  const sent = Date.parse(sentAt)
  // The opening auction of an open session is over.
  const isLate = ({ opensAt, closesAt }: TradingSession) =>
    sent >= Date.parse(timeInForce === 'opg' ? opensAt : closesAt)
  const session = sessions.find((candidate) => !isLate(candidate))
  if (!session) return sentAt
  if (timeInForce === 'cls') return session.closesAt
  return sent < Date.parse(session.opensAt) ? session.opensAt : sentAt
}
