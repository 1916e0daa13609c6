import { randomUUID } from 'node:crypto'
import type { Decimal } from '#domain/money/decimal.ts'
import type { ExitRule } from '#domain/exit/exit.ts'
import type { OrderReport, OrderRequest } from '#domain/order/order.ts'
import type { Protection } from '#domain/exit/protection.ts'
import type { ExitChange } from '#domain/exit/protection-check.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import type { ReplaceRequest } from '#workflows/signal/contract.ts'

/** A change that leaves just this plan, or none. */
export const changeTo = (plan: Protection | null): ExitChange =>
  plan ?? { stop: null, target: null, trail: null, breakEven: null }

/** Terms of an immediate signal, "buy 10 AAPL at market" unless told otherwise. */
export const signalTerms = (changes: Partial<SignalTerms> = {}): SignalTerms => ({
  signalId: randomUUID(),
  userId: '7f1b2c34-0000-4000-8000-000000000001',
  accountId: '7f1b2c34-0000-4000-8000-000000000002',
  origin: 'sender',
  strategyId: null,
  symbol: 'AAPL',
  action: 'openLong',
  quantity: '10',
  quantityType: 'fixed',
  executeMode: 'immediate',
  orderType: 'market',
  limitPrice: null,
  stopPrice: null,
  timeInForce: 'day',
  expiresAt: null,
  extendedHours: false,
  acceptedAt: '2026-03-02T15:00:00.000Z',
  scheduledAt: null,
  validUntil: null,
  sendBefore: '2026-03-02T15:01:00.000Z',
  exit: null,
  ...changes,
})

const marketExit = { clockTime: null, orderType: 'market', limitPrice: null, stopPrice: null } as const

export const exitAfter = (minutes: number): ExitRule => ({
  ...marketExit,
  trigger: 'minutesAfterEntry',
  minutes,
  timeInForce: 'day',
})

export const exitAtOnce: ExitRule = {
  ...marketExit,
  trigger: 'immediate',
  minutes: null,
  timeInForce: 'day',
}

/** What a broker reports of an order that it has just accepted, with changes. */
export const reportOf = (
  request: OrderRequest,
  at: string,
  changes: Partial<OrderReport> = {},
): OrderReport => ({
  ...request,
  brokerOrderId: `broker-${request.clientOrderId}`,
  status: 'OPEN',
  filledQuantity: '0',
  avgFillPrice: null,
  reason: null,
  submittedAt: at,
  filledAt: null,
  endedAt: null,
  ...changes,
})

/** The part of a report that says how much has been filled, at 100 dollars a share. */
export const filled = (
  filledQuantity: Decimal,
  at: string,
): Pick<OrderReport, 'filledQuantity' | 'avgFillPrice' | 'filledAt'> => ({
  filledQuantity,
  avgFillPrice: filledQuantity === '0' ? null : '100',
  filledAt: filledQuantity === '0' ? null : at,
})

/** A newer signal that asks to take the place of another; the row is whatever the ledger would store. */
export const replacementBy = (by: string): ReplaceRequest => ({
  by,
  replacement: {
    row: { id: randomUUID(), sourceId: 'the same', by },
    received: { key: 'received', kind: 'received', at: '2026-03-02T15:00:00.000Z', message: `From ${by}` },
  },
})
