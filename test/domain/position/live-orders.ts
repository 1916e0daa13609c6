import { PositionShares } from '#domain/position/ownership.ts'
import type { LiveOrder, SymbolState } from '#domain/position/symbol-state.ts'

export const NOW = '2026-03-02T15:00:00.000Z'

export const instantAfter = (milliseconds: number): string =>
  new Date(Date.parse(NOW) + milliseconds).toISOString()

/** An order of a signal for ten shares that rests at the broker, a sale at 120 unless told otherwise. */
export const liveOrder = (changes: Partial<LiveOrder> = {}): LiveOrder => ({
  clientOrderId: 'other',
  brokerOrderId: 'at-the-broker',
  signalId: 'other',
  role: 'entry',
  symbol: 'AAPL',
  side: 'SELL',
  open: '10',
  orderType: 'limit',
  limitPrice: '120',
  stopPrice: null,
  timeInForce: 'gtc',
  knownAt: NOW,
  reservedLots: [],
  ...changes,
})

/** The ledger of a symbol as it is read now, without shares and orders unless told otherwise. */
export const symbolStateOf = (changes: Partial<SymbolState> = {}): SymbolState => ({
  asOf: NOW,
  shares: new PositionShares(),
  changedAt: null,
  live: [],
  unattributed: [],
  yielding: [],
  ...changes,
})
