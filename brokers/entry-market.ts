import type { EntryMarket, MarketNeeds } from '#domain/entry-check.ts'
import type { Decimal } from '#domain/decimal.ts'
import { marketPhaseAt } from '#domain/market-phase.ts'
import type { TradingSession } from '#domain/session.ts'
import { isOpening, type SignalTerms } from '#domain/signal.ts'
import { AssetLookupUnsupported, type Broker, type BrokerAsset } from './port.ts'

/**
 * Asks a broker for what the judgement of an entry depends on, and for nothing else: every request is time that
 * the sender of the signal waits. Throws as the {@link Broker} does.
 *
 * @param sessions those around `now`; asked for only when the judgement depends on them
 * @param now milliseconds since the epoch
 */
export async function readEntryMarket(
  broker: Broker,
  { symbol, action }: Pick<SignalTerms, 'symbol' | 'action'>,
  needs: MarketNeeds,
  { sessions, now }: { sessions: () => Promise<TradingSession[]>; now: number },
): Promise<EntryMarket> {
  const [account, lastPrice, asset, closable, around] = await Promise.all([
    needs.equity ? broker.getAccount() : null,
    needs.lastPrice ? broker.getLastPrice(symbol) : null,
    needs.asset ? lookUpAsset(broker, symbol) : null,
    needs.position && !isOpening(action) ? closableQuantity(broker, symbol, action) : '0',
    needs.marketPhase ? sessions() : null,
  ])
  return {
    equity: account?.equity ?? '0',
    lastPrice,
    closableQuantity: closable,
    fractionable: asset?.found?.fractionable ?? false,
    symbolIsKnown: await symbolIsKnown(),
    marketPhase: around && marketPhaseAt(now, around),
  }

  async function symbolIsKnown(): Promise<boolean | null> {
    if (lastPrice !== null) return true
    // Without a price the question is whether there is such a symbol at all.
    const answer = needs.asset || !needs.lastPrice ? asset : await lookUpAsset(broker, symbol)
    return answer && answer.found !== null
  }
}

/** Null where the broker offers no look-up, so that nothing is known of any symbol. */
async function lookUpAsset(broker: Broker, symbol: string): Promise<{ found: BrokerAsset | null } | null> {
  try {
    return { found: await broker.getAsset(symbol) }
  } catch (error) {
    if (error instanceof AssetLookupUnsupported) return null
    throw error
  }
}

async function closableQuantity(
  broker: Broker,
  symbol: string,
  action: 'closeLong' | 'closeShort',
): Promise<Decimal> {
  const position = await broker.getPosition(symbol)
  return position?.side === (action === 'closeLong' ? 'LONG' : 'SHORT') ? position.availableQuantity : '0'
}
