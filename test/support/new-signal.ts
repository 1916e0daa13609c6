import { randomUUID } from 'node:crypto'
import type { Account } from '#db/entities/index.ts'
import type { NewSignal } from '#db/signal/storing.ts'

/** A signal as it is accepted, which is to be sent at once: buys 10 AAPL at 100 dollars at most. */
export const newSignalOf = (
  { id: accountId, userId }: Pick<Account, 'id' | 'userId'>,
  changes: Partial<NewSignal> = {},
): NewSignal => ({
  id: randomUUID(),
  userId,
  accountId,
  strategyId: null,
  sourceId: null,
  origin: 'sender',
  payloadHash: 'hash',
  symbol: 'AAPL',
  action: 'openLong',
  quantity: '10',
  quantityType: 'fixed',
  executeMode: 'immediate',
  orderType: 'limit',
  limitPrice: '100',
  stopPrice: null,
  timeInForce: 'gtc',
  expiresAt: null,
  extendedHours: false,
  scheduledAt: null,
  validUntil: null,
  timezone: null,
  manages: null,
  exitRule: null,
  protection: null,
  metadata: null,
  target: null,
  groupId: null,
  advisories: [],
  status: 'queued',
  acceptedAt: new Date('2026-03-02T15:00:00.000Z'),
  sendBefore: null,
  ...changes,
})
