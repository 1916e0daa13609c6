import type { Decimal } from './decimal.ts'

/** The holding of an account in a symbol, as its broker says; amounts in dollars. */
export interface HeldPosition {
  symbol: string
  side: 'LONG' | 'SHORT'
  /** Shares, always positive; `side` tells the direction. */
  quantity: Decimal
  /** Dollars a share. */
  avgCost: Decimal
  currentPrice: Decimal
  marketValue: Decimal
  unrealisedPnl: Decimal
  unrealisedPnlPercent: Decimal
  /** Dollars a share since the last close; null when unknown. */
  dayChange: Decimal | null
  dayChangePercent: Decimal | null
}
