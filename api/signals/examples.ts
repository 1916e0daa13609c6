import type { SignalAnswer, SignalCheckAnswer, SignalDetailAnswer } from './answers.ts'
import { EXAMPLE_ACCOUNT_ID } from '../http/examples.ts'

const ORDER = '9a8b7c6d-5e4f-4d3c-8b2a-1f0e9d8c7b6a'

/** Bodies of POST /signals. */
export const SIGNAL_BODIES = {
  'buy ten shares now': {
    symbol: 'AAPL',
    action: 'openLong',
    accountId: EXAMPLE_ACCOUNT_ID,
    quantity: 10,
    executeMode: 'immediate',
    sourceId: 'breakout-2026-03-02-1',
  },
  'buy now and sell fifteen minutes before the close': {
    symbol: 'AAPL',
    action: 'openLong',
    accountId: EXAMPLE_ACCOUNT_ID,
    quantity: 5,
    quantityType: 'percentEquity',
    executeMode: 'immediate',
    orderType: 'limit',
    limitPrice: 187.5,
    sourceId: 'breakout-2026-03-02-2',
    exitTriggerType: 'minutesBeforeClose',
    exitTriggerMinutes: 15,
    exitOrderType: 'moc',
  },
  'sell short at a time of day': {
    symbol: 'TSLA',
    action: 'openShort',
    accountId: EXAMPLE_ACCOUNT_ID,
    quantity: 20,
    executeMode: 'scheduled',
    scheduledProcessAt: '2026-12-01T10:15:00',
    timezone: 'America/New_York',
    validUntil: '2026-12-01T10:30:00',
  },
  'ask a person first': {
    symbol: 'MSFT',
    action: 'openLong',
    accountId: EXAMPLE_ACCOUNT_ID,
    quantity: 2500,
    quantityType: 'dollarAmount',
    executeMode: 'pending',
    metadata: { strategy: 'mean reversion', confidence: 0.82 },
  },
  'only show what would happen': {
    symbol: 'AAPL',
    action: 'openLong',
    accountId: EXAMPLE_ACCOUNT_ID,
    quantity: 10,
    executeMode: 'immediate',
    dryRun: true,
  },
}

export const EXAMPLE_SIGNAL: SignalAnswer = {
  id: '2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e',
  accountId: EXAMPLE_ACCOUNT_ID,
  strategyId: null,
  sourceId: 'breakout-2026-03-02-2',
  symbol: 'AAPL',
  action: 'openLong',
  quantity: 5,
  quantityType: 'percentEquity',
  executeMode: 'immediate',
  orderType: 'limit',
  limitPrice: 187.5,
  stopPrice: null,
  timeInForce: 'day',
  expiresAt: null,
  extendedHours: false,
  scheduledAt: null,
  validUntil: null,
  timezone: null,
  exitRule: {
    triggerType: 'minutesBeforeClose',
    triggerMinutes: 15,
    triggerTime: null,
    orderType: 'moc',
    limitPrice: null,
    stopPrice: null,
    timeInForce: 'cls',
  },
  metadata: null,
  targetPosition: null,
  targetAt: null,
  continues: null,
  advisories: [],
  status: 'executed',
  statusReason: null,
  statusDetail: null,
  orderId: ORDER,
  filledQuantity: 26,
  avgFillPrice: 187.48,
  exit: { status: 'scheduled', submitAt: '2026-03-02T20:45:00.000Z', orderId: null, reason: null },
  heldPrice: null,
  tokenId: 'e5d4c3b2-a190-4f8e-9d7c-6b5a49382716',
  sentBy: 'token "breakouts"',
  decidedBy: null,
  decidedAt: null,
  approvalRefused: null,
  createdAt: '2026-03-02T15:00:00.120Z',
  updatedAt: '2026-03-02T15:00:00.870Z',
}

export const EXAMPLE_DETAIL: SignalDetailAnswer = {
  ...EXAMPLE_SIGNAL,
  workflow: { id: `signal-${EXAMPLE_SIGNAL.id}`, url: null },
  timings: {
    receivedAt: '2026-03-02T15:00:00.120Z',
    checkedAt: '2026-03-02T15:00:00.171Z',
    sentAt: '2026-03-02T15:00:00.180Z',
    acknowledgedAt: '2026-03-02T15:00:00.240Z',
    filledAt: '2026-03-02T15:00:00.870Z',
    exitDueAt: '2026-03-02T20:45:00.000Z',
    exitSentAt: null,
    exitFilledAt: null,
  },
  result: {
    closedQuantity: 6,
    realisedPnl: 3.66,
    fees: 0.12,
    closes: [
      {
        at: '2026-03-02T16:12:00.410Z',
        quantity: 6,
        price: 188.11,
        realisedPnl: 3.66,
        by: 'person',
        signalId: null,
        person: 'ann@example.com',
      },
    ],
  },
}

export const EXAMPLE_PENDING: SignalAnswer = {
  ...EXAMPLE_SIGNAL,
  id: '4c3d2e1f-0a9b-4c8d-8e7f-6a5b4c3d2e1f',
  sourceId: null,
  executeMode: 'pending',
  status: 'pending',
  orderId: null,
  filledQuantity: 0,
  avgFillPrice: null,
  exitRule: null,
  exit: null,
  heldPrice: 187.4,
}

export const EXAMPLE_DECLINED: SignalAnswer = {
  ...EXAMPLE_PENDING,
  status: 'rejected',
  statusReason: 'DECLINED',
  statusDetail: 'Declined by ada@example.com: not before the figures',
  decidedBy: 'ada@example.com',
  decidedAt: '2026-03-02T15:00:12.300Z',
}

export const EXAMPLE_WITHDRAWN: SignalAnswer = {
  ...EXAMPLE_PENDING,
  status: 'cancelled',
  statusReason: 'WITHDRAWN',
  statusDetail: 'Withdrawn by ada@example.com',
}

/** The exit of {@link EXAMPLE_SIGNAL}, called off. */
export const EXAMPLE_EXIT_CANCELLED: SignalAnswer = {
  ...EXAMPLE_SIGNAL,
  exit: {
    status: 'cancelled',
    submitAt: '2026-03-02T20:45:00.000Z',
    orderId: null,
    reason: 'CANCELLED_BY_PERSON',
  },
}

export const EXAMPLE_CHECK: SignalCheckAnswer = {
  dryRun: {
    outcome: 'ready',
    code: null,
    signalId: null,
    order: {
      clientOrderId: '<signal id>-e1',
      symbol: 'AAPL',
      side: 'BUY',
      quantity: 10,
      orderType: 'market',
      limitPrice: null,
      stopPrice: null,
      timeInForce: 'day',
      extendedHours: false,
    },
    scheduledAt: null,
    session: {
      isOpen: true,
      nextOpen: '2026-03-03T14:30:00.000Z',
      nextClose: '2026-03-02T21:00:00.000Z',
    },
    exitAt: null,
    exitReason: null,
    waitsFor: [],
    verdicts: [{ rule: 'accountActive', outcome: 'passed', message: 'The account is active' }],
  },
  message: 'Nothing was stored or sent. The order would be sent',
  advisories: [],
  heldPrice: 187.4,
  quote: {
    symbol: 'AAPL',
    bid: 187.8,
    ask: 187.84,
    last: 187.82,
    at: '2026-03-02T15:00:04.120Z',
    previousClose: 186.1,
    dayChange: 1.72,
    dayChangePercent: 0.92,
  },
  driftPercent: 0.22,
  driftLimitPercent: 5,
  limitDistancePercent: null,
  cost: 1878.4,
  buyingPower: 200_000,
  position: { before: 0, after: 10 },
  checkedAt: '2026-03-02T15:00:05.000Z',
}
