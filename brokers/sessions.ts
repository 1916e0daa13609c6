import { calendarFault } from '#domain/calendar/judged.ts'
import type { TradingSession } from '#domain/session.ts'
import { BrokerOutcomeUnknown, type Broker } from './port.ts'

/**
 * Every reader of sessions takes them from here. Throws {@link BrokerOutcomeUnknown} for a calendar that cannot
 * be believed.
 * @param from,to local dates, both included
 * @param after UTC instant after which there has to be a session
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
