import type { TimeInForce } from './order.ts'
import type { TradingSession } from './session.ts'

/**
 * The first UTC instant at which an order that is sent at an instant can be filled: outside a session it waits for the
 * next opening, and one for an auction waits for that auction. An order for extended hours counts as fillable at once.
 *
 * @param sessions the broker's sessions in order, from a day before `sentAt` on; where none is late enough, `sentAt`
 */
export function earliestFill(
  { timeInForce, extendedHours }: { timeInForce: TimeInForce; extendedHours: boolean },
  sentAt: string,
  sessions: readonly TradingSession[],
): string {
  if (extendedHours) return sentAt
  const sent = Date.parse(sentAt)
  // The opening auction of a session that is open already is over.
  const isLate = ({ opensAt, closesAt }: TradingSession) =>
    sent >= Date.parse(timeInForce === 'opg' ? opensAt : closesAt)
  const session = sessions.find((candidate) => !isLate(candidate))
  if (!session) return sentAt
  if (timeInForce === 'cls') return session.closesAt
  return sent < Date.parse(session.opensAt) ? session.opensAt : sentAt
}
