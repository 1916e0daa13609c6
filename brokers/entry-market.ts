import { setTimeout as sleep, setTimeout } from 'node:timers/promises'
import type { AssetPermissions } from '#domain/risk/permissions.ts'
import { classFault } from '#domain/order/broker-rules.ts'
import {
  AssetLookupUnsupported,
  BrokerBusy,
  BrokerOutcomeUnknown,
  type Broker,
  type BrokerAsset,
  BrokerPricesUnavailable,
  type Quote,
} from './port.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { judgePrice, needsRecentSessions, USUAL_COLLAR, type PriceFacts } from '#domain/risk/market-price.ts'
import { type TradingSession, marketPhaseAt } from '#domain/time/session.ts'
import type { Action, SignalTerms } from '#domain/signal/signal.ts'
import type { OrderCosts } from '#domain/risk/buying-power.ts'
import type { EntryMarket, MarketNeeds } from '#domain/risk/entry-check.ts'
import type { BrokerKeeping } from '#domain/exit/protection.ts'

/** An asset keeps its class, and its symbol for a day. */
const CLASS_REMEMBERED_FOR_MS = 86_400_000
/** Milliseconds; a later answer is for the next entry. */
const CLASS_PATIENCE_MS = 300
const MAX_CLASSES_KEPT = 10_000

interface Remembered {
  asset: Pick<BrokerAsset, 'assetClass'> & AssetPermissions
  at: number
}

const remembered = new WeakMap<Broker, Map<string, Remembered>>()

/** Null where the broker offers no look-up. */
async function lookUpAsset(broker: Broker, symbol: string): Promise<{ found: BrokerAsset | null } | null> {
  try {
    const found = await broker.getAsset(symbol)
    if (found) remember(broker, symbol, found)
    return { found }
  } catch (error) {
    if (error instanceof AssetLookupUnsupported) return null
    throw error
  }
}

type AskedClass =
  | { what: 'class'; assetClass: string; permissions: AssetPermissions | null }
  | { what: 'absent' }
  | { what: 'unasked' }

/** Throws as the {@link Broker} for a symbol not spelled like a share. */
async function askClass(broker: Broker, symbol: string, borrows: boolean): Promise<AskedClass> {
  const held = remembered.get(broker)?.get(symbol)
  const known = held && performance.now() - held.at < CLASS_REMEMBERED_FOR_MS ? held.asset : null
  if (known?.tradable && !borrows) return classOf(known)
  const asked = lookUpClass(broker, symbol)
  if (known === null && classFault(symbol, null) !== null) return asked
  const patience = new AbortController()
  const unasked: AskedClass =
    known === null ? { what: 'unasked' } : { what: 'class', assetClass: known.assetClass, permissions: null }
  try {
    const waited = sleep(CLASS_PATIENCE_MS, unasked, { signal: patience.signal, ref: false })
    return await Promise.race([asked.catch(unlessAway(unasked)), waited])
  } finally {
    patience.abort()
  }
}

async function lookUpClass(broker: Broker, symbol: string): Promise<AskedClass> {
  const answer = await lookUpAsset(broker, symbol)
  if (answer === null) return { what: 'unasked' }
  return answer.found === null ? { what: 'absent' } : classOf(answer.found)
}

const classOf = (asset: Remembered['asset']): AskedClass => ({
  what: 'class',
  assetClass: asset.assetClass,
  permissions: asset,
})

const unlessAway =
  (otherwise: AskedClass) =>
  (error: unknown): AskedClass => {
    if (error instanceof BrokerBusy || error instanceof BrokerOutcomeUnknown) return otherwise
    throw error
  }

function remember(
  broker: Broker,
  symbol: string,
  { assetClass, tradable, shortable, easyToBorrow }: BrokerAsset,
): void {
  let known = remembered.get(broker)
  if (known === undefined) remembered.set(broker, (known = new Map<string, Remembered>()))
  if (known.size >= MAX_CLASSES_KEPT) known.clear()
  known.set(symbol, { asset: { assetClass, tradable, shortable, easyToBorrow }, at: performance.now() })
}

export interface PriceQuestion {
  askedAt: number
  /** Sessions from `SESSIONS_BACK` days before. */
  recentSessions(): Promise<TradingSession[]>
}

/** Throws as the {@link Broker} for the price. */
async function readPriceFacts(
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

/** Null for a broker that gives no answer now. */
export function noneIfAway(error: unknown): null {
  const isAway =
    error instanceof BrokerBusy ||
    error instanceof BrokerOutcomeUnknown ||
    error instanceof BrokerPricesUnavailable
  if (isAway) return null
  throw error
}

export interface EntryMoment {
  sessions: () => Promise<TradingSession[]>
  zone: string
  now: number
  prices: PriceQuestion
  orderCosts: OrderCosts
  keeping: BrokerKeeping
}

/** Reads only the facts that the decision needs: every request delays the sender. Throws as the {@link Broker}. */
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
    const answer = needs.asset || !needs.lastPrice ? asset : await lookUpAsset(broker, symbol)
    return answer && answer.found !== null
  }
}

/** Milliseconds for a calendar that only an advisory needs. */
const AT_HAND = 250
const beingRead = new WeakMap<Broker, Promise<TradingSession[]>>()

/** Empty where they take too long. */
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
