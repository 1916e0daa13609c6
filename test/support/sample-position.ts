import type { BrokerPosition } from '#brokers/port.ts'
import type { Decimal } from '#domain/money/decimal.ts'

/** A position in AAPL, bought or sold short at 100 dollars; all of it is free to be closed unless told otherwise. */
export const held = (
  quantity: Decimal,
  side: BrokerPosition['side'],
  changes: Partial<BrokerPosition> = {},
): BrokerPosition => ({
  symbol: 'AAPL',
  side,
  quantity,
  availableQuantity: quantity,
  avgCost: '100',
  currentPrice: '100',
  marketValue: '1000',
  unrealisedPnl: '0',
  unrealisedPnlPercent: '0',
  dayChange: null,
  dayChangePercent: null,
  ...changes,
})
