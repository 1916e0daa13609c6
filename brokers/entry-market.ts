import { setTimeout } from 'node:timers/promises'
import type { EntryMarket, MarketNeeds } from '#domain/entry-check.ts'
import { marketPhaseAt } from '#domain/market-phase.ts'
import type { TradingSession } from '#domain/session.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { AssetLookupUnsupported, type Broker, type BrokerAsset } from './port.ts'

/**
 * Asks a broker for what the judgement of an entry depends on, and for nothing else: every request is time that
 * the sender of the signal waits. Throws as the {@link Broker} does.
 *
 * @param sessions those around `now`; where the judgement does not depend on them, only an advisory does, which is left out when
 *   they are not at hand
 * @param zone IANA zone of the broker's clock times
 * @param now milliseconds since the epoch
 */
export async function readEntryMarket(
  broker: Broker,
  { symbol }: Pick<SignalTerms, 'symbol'>,
  needs: MarketNeeds,
  { sessions, zone, now }: { sessions: () => Promise<TradingSession[]>; zone: string; now: number },
): Promise<EntryMarket> {
  const [account, lastPrice, asset, around] = await Promise.all([
    needs.equity ? broker.getAccount() : null,
    needs.lastPrice ? broker.getLastPrice(symbol) : null,
    needs.asset ? lookUpAsset(broker, symbol) : null,
    needs.marketPhase || needs.sessions ? sessions() : atHand(broker, sessions),
  ])
  return {
    equity: account?.equity ?? '0',
    lastPrice,
    // What of a position can be closed is worked out with the ledger; whether one is in the way, the broker says.
    closableQuantity: '0',
    position: null,
    fractionable: asset?.found?.fractionable ?? false,
    symbolIsKnown: await symbolIsKnown(),
    asset,
    marketPhase: needs.marketPhase ? marketPhaseAt(now, around) : null,
    at: now,
    sessions: around,
    zone,
  }

  async function symbolIsKnown(): Promise<boolean | null> {
    if (lastPrice !== null) return true
    // Without a price the question is whether there is such a symbol at all.
    const answer = needs.asset || !needs.lastPrice ? asset : await lookUpAsset(broker, symbol)
    return answer && answer.found !== null
  }
}

/** So long an entry waits for a calendar on which nothing but an advisory depends, in milliseconds. */
const AT_HAND = 100
/** The calendars that are being asked for: many entries at once ask for one once. */
const asked = new WeakMap<Broker, Promise<TradingSession[]>>()

/** The sessions, none where they take longer than a moment or cannot be had. */
async function atHand(broker: Broker, sessions: () => Promise<TradingSession[]>): Promise<TradingSession[]> {
  let reading = asked.get(broker)
  if (reading === undefined) {
    reading = sessions()
      .catch(() => [])
      .finally(() => asked.delete(broker))
    asked.set(broker, reading)
  }
  return Promise.race([reading, setTimeout(AT_HAND, [], { ref: false })])
}

/** What a broker says of an asset; null where it offers no look-up, so that nothing is known of any symbol. */
export async function lookUpAsset(
  broker: Broker,
  symbol: string,
): Promise<{ found: BrokerAsset | null } | null> {
  try {
    return { found: await broker.getAsset(symbol) }
  } catch (error) {
    if (error instanceof AssetLookupUnsupported) return null
    throw error
  }
}
