import type { EntryMarket, MarketNeeds } from '#domain/entry-check.ts'
import { marketPhaseAt } from '#domain/market-phase.ts'
import type { TradingSession } from '#domain/session.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { AssetLookupUnsupported, type Broker, type BrokerAsset } from './port.ts'

/**
 * Asks a broker for what the judgement of an entry depends on, and for nothing else: every request is time that
 * the sender of the signal waits. Throws as the {@link Broker} does.
 *
 * @param sessions those around `now`; asked for only when the judgement depends on them
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
    needs.marketPhase || needs.sessions ? sessions() : null,
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
    marketPhase: needs.marketPhase && around ? marketPhaseAt(now, around) : null,
    at: now,
    sessions: around ?? [],
    zone,
  }

  async function symbolIsKnown(): Promise<boolean | null> {
    if (lastPrice !== null) return true
    // Without a price the question is whether there is such a symbol at all.
    const answer = needs.asset || !needs.lastPrice ? asset : await lookUpAsset(broker, symbol)
    return answer && answer.found !== null
  }
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
