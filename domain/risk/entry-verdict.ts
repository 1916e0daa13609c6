import type { AssetPermissions, KnownPermissions } from './permissions.ts'
import type { Funds } from './buying-power.ts'
import type { Decimal } from '../money/decimal.ts'
import type { MarketPhase, TradingSession } from '../time/session.ts'
import type { PriceFacts } from './market-price.ts'
import type { OpenOrder } from '../order/opposite-orders.ts'
import type { OrderTerms } from '../order/order.ts'
import type { BrokerKeeping } from '../exit/protection.ts'
import type { RiskRule, Verdict } from './risk.ts'
import type { SignalTerms } from '../signal/signal.ts'
import type { SizingFacts } from './sizing.ts'

export type EntryTerms = OrderTerms &
  Pick<SignalTerms, 'accountId' | 'action' | 'quantity' | 'quantityType' | 'exit' | 'protection' | 'target'>

/** Answers to `marketNeeds()`; null for others. */
export interface EntryMarket extends Omit<SizingFacts, 'lastPrice' | 'buyAt' | 'sellAt' | 'buyingPower'> {
  keeping: BrokerKeeping
  price: PriceFacts | null
  /** Null also if the broker reports none. */
  quote: (NonNullable<PriceFacts['quote']> & { last: Decimal | null }) | null
  funds: Funds | null
  symbolIsKnown: boolean | null
  /** `found` is null for an asset unknown to the broker. */
  asset: { found: { marginable: boolean } | null } | null
  accountPermissions: KnownPermissions | null
  assetPermissions: AssetPermissions | null
  assetClass: string | null
  openOrders: readonly OpenOrder[] | null
  position: { side: 'LONG' | 'SHORT'; quantity: Decimal } | null
  marketPhase: MarketPhase | null
  /** Milliseconds since the epoch. */
  askedAt: number
  /** The sending time; milliseconds since the epoch. */
  at: number
  /** Around `at`; empty if not needed or not available. */
  sessions: readonly TradingSession[]
  zone: string
}

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
