import { EXAMPLE_ACCOUNT_ID } from '../examples.ts'
import { EXAMPLE_CHECK } from '../signals/examples.ts'
import type { HookAnswer, HookRequestAnswer, HookTrialAnswer, WholeHookRequestAnswer } from './answers.ts'

const EXAMPLE_HOOK_ID = 'c1d2e3f4-a5b6-4c7d-8e9f-0a1b2c3d4e5f'
export const EXAMPLE_HOOK_SECRET = {
  id: 'd4c3b2a1-0f9e-4d8c-b7a6-958473625140',
  createdAt: '2026-03-02T14:00:00.000Z',
  endsAt: null,
  lastUsedAt: '2026-03-02T15:00:01.120Z',
}

export const EXAMPLE_HOOK: HookAnswer = {
  id: EXAMPLE_HOOK_ID,
  name: 'Opening range on TradingView',
  kind: 'tradingview',
  accounts: [{ accountId: EXAMPLE_ACCOUNT_ID, multiplier: null, quantity: null }],
  executeMode: 'immediate',
  approvalMinutes: 10,
  strategyId: null,
  quantity: 10,
  quantityType: 'fixed',
  exit: { exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 10 },
  protection: 'refuse',
  symbols: { 'AAPL.US': 'AAPL' },
  manages: 'own',
  mayShort: false,
  whenSame: 'nothing',
  whenOpposite: 'close',
  template: null,
  requestsPerMinute: 60,
  addresses: ['tradingview'],
  live: false,
  signing: false,
  expects: { everySession: '10:00' },
  flatByClose: null,
  secrets: [EXAMPLE_HOOK_SECRET],
  firstRequestAt: '2026-03-02T15:00:01.120Z',
  lastRequestAt: '2026-03-02T15:00:01.120Z',
  lastAcceptedAt: '2026-03-02T15:00:01.120Z',
  lastRefusal: null,
  waitingSignals: 0,
  owns: [{ accountId: EXAMPLE_ACCOUNT_ID, symbol: 'AAPL', side: 'LONG', quantity: 10 }],
  createdAt: '2026-03-02T14:00:00.000Z',
  updatedAt: '2026-03-02T14:00:00.000Z',
}

export const EXAMPLE_NEW_HOOK: HookAnswer = {
  ...EXAMPLE_HOOK,
  secrets: [{ ...EXAMPLE_HOOK_SECRET, lastUsedAt: null }],
  firstRequestAt: null,
  lastRequestAt: null,
  lastAcceptedAt: null,
}

export const EXAMPLE_URL = `https://trade.example.com/hooks/${EXAMPLE_HOOK_ID}/dth_4nQ8sW1kZx7pR3vB6yT0mC9fJ2hL5gD8aE1r`

const BODY = '{"action": "buy", "symbol": "NASDAQ:AAPL", "contracts": "10"}'

export const EXAMPLE_REQUEST: HookRequestAnswer = {
  id: '0a9b8c7d-6e5f-4a3b-9c2d-1e0f9a8b7c6d',
  receivedAt: '2026-03-02T15:00:01.120Z',
  via: 'sender',
  again: null,
  ip: '52.89.214.238',
  excerpt: BODY,
  bytes: BODY.length,
  outcome: 'accepted',
  code: null,
  message: 'buy 10 AAPL: the order is at the broker',
  status: 200,
  finishedAt: '2026-03-02T15:00:01.480Z',
  groupId: 'b7a69584-7362-4514-8f9e-4d8cd4c3b2a1',
  signals: [
    {
      id: '2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e',
      accountId: EXAMPLE_ACCOUNT_ID,
      symbol: 'AAPL',
      action: 'openLong',
      status: 'executed',
      statusReason: null,
      statusDetail: null,
      orderId: '9b8a7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d',
      filledQuantity: 10,
    },
  ],
}

export const EXAMPLE_WHOLE_REQUEST: WholeHookRequestAnswer = {
  ...EXAMPLE_REQUEST,
  body: BODY,
  faults: [],
  advisories: [{ code: 'symbol_spelled', message: 'NASDAQ:AAPL is taken for AAPL' }],
}

export const EXAMPLE_TEST_REQUEST: WholeHookRequestAnswer = {
  ...EXAMPLE_WHOLE_REQUEST,
  via: 'test',
  ip: '203.0.113.9',
  outcome: 'dry_run',
  message: 'buy 10 AAPL: nothing was sent, for it was a test',
  status: null,
  groupId: null,
  signals: [],
}

export const EXAMPLE_TRIAL: HookTrialAnswer = {
  message: 'Nothing was stored or sent. It would buy 10 AAPL on 1 account',
  faults: [],
  advisories: EXAMPLE_WHOLE_REQUEST.advisories,
  instructions: [{ kind: 'trade', summary: 'buy 10 AAPL' }],
  accounts: [{ accountId: EXAMPLE_ACCOUNT_ID, dryRun: EXAMPLE_CHECK.dryRun, code: null, message: null }],
}
