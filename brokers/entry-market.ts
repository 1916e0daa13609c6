import { setTimeout } from 'node:timers/promises'
import type { OrderCosts } from '#domain/buying-power.ts'
import type { EntryMarket, MarketNeeds } from '#domain/entry-check.ts'
import type { BrokerKeeping } from '#domain/protection.ts'
import { marketPhaseAt } from '#domain/market-phase.ts'
import type { TradingSession } from '#domain/session.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { askClass, lookUpAsset } from './asset-class.ts'
import { noneIfAway, readPriceFacts, type PriceQuestion } from './last-price.ts'
import type { Broker, Quote } from './port.ts'

export interface EntryMoment {
  /** Around `now`; asked for only when the judgement depends on them. */
  sessions: () => Promise<TradingSession[]>
  zone: string
  now: number
  prices: PriceQuestion
  orderCosts: OrderCosts
  keeping: BrokerKeeping
}

/** Only what the judgement depends on: every request delays the sender. Throws as the {@link Broker}. */
export async function readEntryMarket(
  broker: Broker,
  { symbol }: Pick<SignalTerms, 'symbol'>,
  needs: MarketNeeds,
  { sessions, zone, now, prices, orderCosts, keeping }: EntryMoment,
): Promise<EntryMarket> {
  const [account, price, quoted, openOrders, asset, asked, around] = await Promise.all([
    needs.account ? broker.getAccount() : null,
    needs.lastPrice ? readPriceFacts(broker, symbol, prices) : null,
    needs.quote && !needs.lastPrice ? broker.getQuotes([symbol]).catch(noneIfAway) : null,
    needs.openOrders ? broker.listOrders({ status: 'open' }) : null,
    needs.asset ? lookUpAsset(broker, symbol) : null,
    needs.assetClass && !needs.asset ? askClass(broker, symbol, needs.borrow) : null,
    needs.marketPhase || needs.sessions ? sessions() : atHand(broker, sessions),
  ])
  return {
    equity: account?.equity ?? '0',
    price,
    quote: price ? price.quote && { ...price.quote, last: price.last?.price ?? null } : quoteAmong(quoted),
    funds: account,
    openOrders,
    orderCosts,
    keeping,
    // Closable shares follow from the ledger.
    closableQuantity: '0',
    position: null,
    fractionable: asset?.found?.fractionable ?? false,
    symbolIsKnown: await symbolIsKnown(),
    asset,
    accountPermissions: account && { ...account.permissions, at: new Date(prices.askedAt).toISOString() },
    assetPermissions: asset?.found ?? (asked?.what === 'class' ? asked.permissions : null),
    assetClass: asset?.found?.assetClass ?? (asked?.what === 'class' ? asked.assetClass : null),
    marketPhase: needs.marketPhase ? marketPhaseAt(now, around) : null,
    askedAt: prices.askedAt,
    at: now,
    sessions: around,
    zone,
  }

  function quoteAmong(quotes: readonly Quote[] | null): EntryMarket['quote'] {
    const told = quotes?.find((quote) => quote.symbol === symbol)
    return told ? { bid: told.bid, ask: told.ask, at: told.quotedAt, last: told.last } : null
  }

  async function symbolIsKnown(): Promise<boolean | null> {
    if (asked !== null && asked.what !== 'unasked') return asked.what === 'class'
    if (price?.last) return true
    // Without a price the question is whether there is such a symbol at all.
    const answer = needs.asset || !needs.lastPrice ? asset : await lookUpAsset(broker, symbol)
    return answer && answer.found !== null
  }
}

/** Milliseconds of an entry's wait for a calendar that only an advisory needs: a request to a distant broker. */
const AT_HAND = 250
const beingRead = new WeakMap<Broker, Promise<TradingSession[]>>()

/** Empty where they take too long or cannot be had. */
async function atHand(broker: Broker, sessions: () => Promise<TradingSession[]>): Promise<TradingSession[]> {
  let reading = beingRead.get(broker)
  if (reading === undefined) {
    reading = sessions()
      .catch(() => [])
      .finally(() => beingRead.delete(broker))
    beingRead.set(broker, reading)
  }
  return Promise.race([reading, setTimeout(AT_HAND, [], { ref: false })])
}
