import type { AssetPermissions, KnownPermissions } from './account-may.ts'
import type { Funds } from './buying-power.ts'
import type { Decimal } from './decimal.ts'
import type { MarketPhase } from './market-phase.ts'
import type { PriceFacts } from './market-price.ts'
import type { OpenOrder } from './opposite-orders.ts'
import type { OrderTerms } from './order.ts'
import type { BrokerKeeping } from './protection.ts'
import type { RiskRule, Verdict } from './risk.ts'
import type { TradingSession } from './session.ts'
import type { SignalTerms } from './signal.ts'
import type { SizingFacts } from './sizing.ts'

/** The terms of an order that are judged before it may be sent, be it a signal's entry or a manual order. */
export type EntryTerms = OrderTerms &
  Pick<SignalTerms, 'accountId' | 'action' | 'quantity' | 'quantityType' | 'exit' | 'protection' | 'target'>

/** The broker's answers, as far as `marketNeeds()` asked for them. */
export interface EntryMarket extends Omit<SizingFacts, 'lastPrice' | 'buyAt' | 'sellAt' | 'buyingPower'> {
  /** Of the broker's type. */
  keeping: BrokerKeeping
  /** Null when it was not asked for. */
  price: PriceFacts | null
  /** Bid and ask with the last price; null when they were not asked for, or the broker told none. */
  quote: (NonNullable<PriceFacts['quote']> & { last: Decimal | null }) | null
  /** Null when they were not asked for. */
  funds: Funds | null
  /** Whether the broker has such an asset; null when that was not asked. */
  symbolIsKnown: boolean | null
  /** Null when it was not asked for; what was found is null when the broker has no such asset. */
  asset: { found: { marginable: boolean } | null } | null
  /** As the broker described the account just now; null when it was not asked for. */
  accountPermissions: KnownPermissions | null
  /** As the broker described the asset last, within a day; null when it was not asked, or could not be. */
  assetPermissions: AssetPermissions | null
  /** As the broker tells it; null when it was not asked, or could not be. */
  assetClass: string | null
  /** Orders that are open at the broker, but for those of ours that give way; null when they were not asked for. */
  openOrders: readonly OpenOrder[] | null
  /** The position in the symbol; null when flat, or when it was not asked for. */
  position: { side: 'LONG' | 'SHORT'; quantity: Decimal } | null
  marketPhase: MarketPhase | null
  /** When the broker was asked; milliseconds since the epoch. */
  askedAt: number
  /** The moment at which the order is sent; milliseconds since the epoch. */
  at: number
  /** Around the moment at which the order is sent; empty where they are neither needed nor at hand. */
  sessions: readonly TradingSession[]
  /** IANA zone of the broker's clock times. */
  zone: string
}

/** The rules by which an entry is judged; each has its verdict. */
export type EntryRule =
  | 'accountActive'
  | 'tradingMode'
  | 'sender'
  | 'tokenBounds'
  | 'strategyActive'
  | 'flatByClose'
  | 'symbol'
  | 'assetClass'
  | 'price'
  | 'equity'
  | 'size'
  | 'orderForm'
  | 'exitForm'
  | 'protection'
  | 'asset'
  | 'accountMay'
  | 'position'
  | 'oppositeOrder'
  | 'buyingPower'
  | RiskRule

export type EntryVerdict = Verdict<EntryRule>
