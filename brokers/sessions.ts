import { calendarFault } from '#domain/time/judged-calendar.ts'
import type { TradingSession } from '#domain/time/session.ts'
import { BrokerOutcomeUnknown, type Broker } from './port.ts'

/**
 * Reads checked sessions. Throws {@link BrokerOutcomeUnknown} for an implausible answer, or without a session after
 * `after`.
 */
export async function readSessions(
  broker: Pick<Broker, 'listSessions'>,
  { from, to, after }: { from: string; to: string; after: string },
): Promise<TradingSession[]> {
  const sessions = await broker.listSessions(from, to)
  const fault = calendarFault(sessions, after)
  if (fault !== null) throw new BrokerOutcomeUnknown(`the broker's calendar cannot be believed: ${fault}`)
  return sessions
}
