import { readEntryMarket } from '#brokers/entry-market.ts'
import type { PriceQuestion } from '#brokers/last-price.ts'
import type { Broker } from '#brokers/port.ts'
import type { OrderCosts } from '#domain/buying-power.ts'
import type { EntryMarket, MarketNeeds } from '#domain/entry-check.ts'
import type { BrokerKeeping } from '#domain/protection.ts'
import { SESSIONS_BACK } from '#domain/market-price.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { DAY_MS } from '#domain/time-units.ts'
import type { SessionCalendar } from './session-calendar.ts'

export interface MarketDependencies {
  calendar: SessionCalendar
  /** IANA zone of the account's broker. */
  zoneOf(accountId: string): Promise<string>
  orderCostsOf(accountId: string): Promise<OrderCosts>
  keepingOf(accountId: string): Promise<BrokerKeeping>
  now(): number
}

export async function askMarket(
  { calendar, zoneOf, orderCostsOf, keepingOf, now }: MarketDependencies,
  broker: Broker,
  { accountId, symbol }: Pick<SignalTerms, 'accountId' | 'symbol'>,
  needs: MarketNeeds,
): Promise<EntryMarket> {
  const at = now()
  return readEntryMarket(broker, { symbol }, needs, {
    sessions: () => calendar.sessionsFrom(accountId, new Date(at).toISOString()),
    zone: await zoneOf(accountId),
    orderCosts: await orderCostsOf(accountId),
    keeping: await keepingOf(accountId),
    now: at,
    prices: priceQuestion({ calendar }, accountId, at),
  })
}

export const priceQuestion = (
  { calendar }: { calendar: Pick<SessionCalendar, 'sessionsFrom'> },
  accountId: string,
  askedAt: number,
): PriceQuestion => ({
  askedAt,
  recentSessions: () =>
    calendar.sessionsFrom(accountId, new Date(askedAt - SESSIONS_BACK * DAY_MS).toISOString()),
})
