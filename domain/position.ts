import type { Decimal } from './decimal.ts'

export interface HeldPosition {
  symbol: string
  side: 'LONG' | 'SHORT'
  /** Shares, always positive. */
  quantity: Decimal
  avgCost: Decimal
  currentPrice: Decimal
  marketValue: Decimal
  unrealisedPnl: Decimal
  unrealisedPnlPercent: Decimal
  dayChange: Decimal | null
  dayChangePercent: Decimal | null
}
