import type { Decimal } from '#domain/decimal.ts'
import { judgePrice, needsRecentSessions, USUAL_COLLAR, type PriceFacts } from '#domain/market-price.ts'
import type { TradingSession } from '#domain/session.ts'
import type { Action } from '#domain/signal.ts'
import { BrokerBusy, BrokerOutcomeUnknown, BrokerPricesUnavailable, type Broker } from './port.ts'

export interface PriceQuestion {
  askedAt: number
  /** From `SESSIONS_BACK` days before on; asked for only where a price is not of this moment. */
  recentSessions(): Promise<TradingSession[]>
}

/** Throws as the {@link Broker} for the price; without a quote or a calendar it is judged by the rest. */
export async function readPriceFacts(
  broker: Broker,
  symbol: string,
  { askedAt, recentSessions }: PriceQuestion,
): Promise<PriceFacts> {
  let unavailable: string | null = null
  const [last, quotes] = await Promise.all([
    broker.getLastPrice(symbol).catch((error: unknown) => {
      if (!(error instanceof BrokerPricesUnavailable)) throw withoutPrice(symbol, error)
      unavailable = error.message
      return null
    }),
    broker.getQuotes([symbol]).catch(noneIfAway),
  ])
  const told = quotes?.find((quote) => quote.symbol === symbol)
  const quote = told ? { bid: told.bid, ask: told.ask, at: told.quotedAt } : null
  const facts = { last, quote, askedAt, unavailable }
  const sessions = needsRecentSessions(facts) ? await recentSessions().catch(noneIfAway) : null
  return { ...facts, sessions: sessions ?? [] }
}

export async function believedPrice(
  broker: Broker,
  { symbol, action }: { symbol: string; action: Action },
  question: PriceQuestion,
): Promise<Decimal | null> {
  const facts = await readPriceFacts(broker, symbol, question)
  return judgePrice(action, symbol, facts, USUAL_COLLAR).price
}

function withoutPrice(symbol: string, error: unknown): unknown {
  const words = (message: string) => `No price of ${symbol} could be had: ${message}`
  if (error instanceof BrokerBusy) return new BrokerBusy(words(error.message), error.retryAfterMs)
  return error instanceof BrokerOutcomeUnknown
    ? new BrokerOutcomeUnknown(words(error.message), { cause: error })
    : error
}

/** Null for a broker that gives no answer at the moment. */
export function noneIfAway(error: unknown): null {
  const isAway =
    error instanceof BrokerBusy ||
    error instanceof BrokerOutcomeUnknown ||
    error instanceof BrokerPricesUnavailable
  if (isAway) return null
  throw error
}
