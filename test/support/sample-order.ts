import { randomUUID } from 'node:crypto'
import type { ManualOrderTerms } from '#domain/manual-order.ts'

/** Terms of a manual order, "buy 10 AAPL at market" unless told otherwise. */
export const manualOrderTerms = (changes: Partial<ManualOrderTerms> = {}): ManualOrderTerms => ({
  orderId: randomUUID(),
  userId: '7f1b2c34-0000-4000-8000-000000000001',
  accountId: '7f1b2c34-0000-4000-8000-000000000002',
  symbol: 'AAPL',
  side: 'BUY',
  quantity: '10',
  orderType: 'market',
  limitPrice: null,
  stopPrice: null,
  timeInForce: 'day',
  extendedHours: false,
  reducesOnly: false,
  acceptedAt: '2026-03-02T15:00:00.000Z',
  sendBefore: '2026-03-02T15:01:00.000Z',
  ...changes,
})
