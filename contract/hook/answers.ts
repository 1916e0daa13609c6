import { MANAGES } from '#domain/signal/manages.ts'
import { HOOK_KINDS, HOOK_QUANTITY_TYPES } from '#domain/hook/settings.ts'
import { ACTIONS, SIGNAL_STATUSES } from '#domain/signal/signal.ts'
import { z } from 'zod'
import { flatByCloseAnswer } from '../values/flat-by-close.ts'
import { pagingAnswer } from '../values/query.ts'
import { dryRunAnswer } from '../signal/dry-run.ts'
import { REQUEST_OUTCOMES } from './requests.ts'
import { EXAMPLE_ACCOUNT_ID } from '../envelopes.ts'
import { EXAMPLE_CHECK } from '../signal/examples.ts'

const instant = () => z.iso.datetime()
const amount = () => z.number().nullable()

const secretAnswer = z
  .strictObject({
    id: z.uuid(),
    createdAt: instant(),
    endsAt: instant().nullable().describe('Until when it is good; null until another takes its place'),
    lastUsedAt: instant().nullable(),
  })
  .meta({ id: 'HookSecret' })

const templateAnswer = z.strictObject({
  symbol: z.string(),
  word: z.string(),
  words: z.record(z.string(), z.enum(['buy', 'sell', 'close'])),
  quantity: z.string().nullable(),
  orderType: z.string().nullable(),
  limitPrice: z.string().nullable(),
  id: z.string().nullable(),
})

export const expectsAnswer = z
  .union([z.strictObject({ everySession: z.string() }), z.strictObject({ atLeastEvery: z.literal('day') })])
  .nullable()

export const hookAnswer = z
  .strictObject({
    id: z.uuid().describe('Signals that came by it have it as `tokenId`'),
    name: z.string(),
    kind: z.enum(HOOK_KINDS),
    accounts: z.array(
      z.strictObject({
        accountId: z.uuid(),
        multiplier: amount().describe('Times the quantity of a message; null for once'),
        quantity: amount().describe('In the place of the quantity of a message; null for that one'),
      }),
    ),
    executeMode: z.enum(['immediate', 'pending']),
    approvalMinutes: z.int().nullable(),
    strategyId: z.uuid().nullable(),
    quantity: amount(),
    quantityType: z.enum(HOOK_QUANTITY_TYPES),
    exit: z.record(z.string(), z.unknown()).nullable(),
    protection: z.enum(['refuse', 'ignore']),
    symbols: z.record(z.string(), z.string()),
    manages: z.enum(MANAGES),
    mayShort: z.boolean(),
    whenSame: z.enum(['nothing', 'add']),
    whenOpposite: z.enum(['reverse', 'close']),
    template: templateAnswer.nullable(),
    requestsPerMinute: z.int(),
    addresses: z.array(z.string()),
    live: z.boolean().describe('It may open positions on live accounts; otherwise on demo accounts alone'),
    signing: z.boolean().describe('A key is kept for a sender that signs its requests'),
    expects: expectsAnswer,
    flatByClose: flatByCloseAnswer,
    secrets: z.array(secretAnswer).describe('Those that are good, the newest first'),
    firstRequestAt: instant().nullable(),
    lastRequestAt: instant().nullable(),
    lastAcceptedAt: instant().nullable(),
    lastRefusal: z
      .strictObject({ at: instant(), code: z.string(), message: z.string() })
      .nullable()
      .describe('The last request that was refused; of many in a row it may be some seconds old'),
    waitingSignals: z
      .int()
      .describe('Signals that came by it, that wait to be sent, and that no person has approved'),
    owns: z
      .array(
        z.strictObject({
          accountId: z.uuid(),
          symbol: z.string(),
          side: z.enum(['LONG', 'SHORT']),
          quantity: z.number().describe('Shares'),
        }),
      )
      .describe(
        'Open shares that its signals have bought or sold short, or with a strategyId those of the strategy',
      ),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'Hook' })

const url = z.string().describe('The whole address with its secret, shown this once')

export const hookListAnswer = z.strictObject({ hooks: z.array(hookAnswer), ...pagingAnswer })
export const namedHookAnswer = z.strictObject({ hook: hookAnswer })
export const createdHookAnswer = z.strictObject({ hook: hookAnswer, url })
export const newSecretAnswer = z.strictObject({ url, secret: secretAnswer })
export const endedSecretAnswer = z.strictObject({ message: z.string() })
export const signingKeyAnswer = z.strictObject({
  key: z.string().describe('Of HMAC-SHA256, in hexadecimal digits; shown this once'),
})
export const unsignedAnswer = z.strictObject({ message: z.string() })

const faultAnswer = z.strictObject({
  code: z.string(),
  message: z.string(),
  path: z.array(z.union([z.string(), z.number()])),
  field: z.string(),
})
const adviceAnswer = z.strictObject({ code: z.string(), message: z.string() })

const requestSignalAnswer = z.strictObject({
  id: z.uuid(),
  accountId: z.uuid(),
  symbol: z.string(),
  action: z.enum(ACTIONS),
  status: z.enum(SIGNAL_STATUSES),
  statusReason: z.string().nullable().describe('Why it has ended without its order'),
  statusDetail: z.string().nullable().describe('The reason in words'),
  orderId: z.uuid().nullable().describe('Of the entry order; null before there is one'),
  filledQuantity: z.number().describe('Shares of the entry that are filled'),
})

export const requestAnswer = z
  .strictObject({
    id: z.uuid(),
    receivedAt: instant(),
    via: z.enum(['sender', 'test', 'again']).describe('sender: from outside; test, again: by a person'),
    again: z.uuid().nullable().describe('The request that was sent again'),
    ip: z.string(),
    excerpt: z.string().describe('The first 200 characters of the body'),
    bytes: z.int(),
    outcome: z
      .enum(REQUEST_OUTCOMES)
      .nullable()
      .describe(
        'accepted: signals came of it, or what it asks for was done; nothing: what it asks for is so already; repeated: an alert that came before; refused; dry_run: nothing was to be sent; late: too old when it could be carried out. Null while it is not carried out',
      ),
    code: z.string().nullable().describe('Of a refusal; stable, for programs'),
    message: z.string().nullable(),
    status: z.int().nullable().describe('HTTP status of the answer; null where the sender got none'),
    finishedAt: instant().nullable(),
    groupId: z.uuid().nullable().describe('The group of its signals'),
    signals: z.array(requestSignalAnswer),
  })
  .meta({ id: 'HookRequest' })

const wholeRequestAnswer = z
  .strictObject({
    ...requestAnswer.shape,
    body: z.string().describe('Without keys and secrets'),
    faults: z.array(faultAnswer),
    advisories: z.array(adviceAnswer),
  })
  .meta({ id: 'WholeHookRequest' })

export const requestListAnswer = z.strictObject({ requests: z.array(requestAnswer), ...pagingAnswer })
export const namedRequestAnswer = z.strictObject({ request: wholeRequestAnswer })

export const trialAnswer = z.strictObject({
  message: z.string(),
  faults: z.array(faultAnswer).describe('Why it would be refused; each says the mend'),
  advisories: z.array(adviceAnswer),
  instructions: z
    .array(
      z.strictObject({
        kind: z.enum(['trade', 'cancel', 'protect', 'flatten', 'halt']),
        summary: z.string().describe('Such as `buy 10 AAPL`'),
      }),
    )
    .describe('What it asks for, one after the other'),
  accounts: z
    .array(
      z.strictObject({
        accountId: z.uuid(),
        dryRun: dryRunAnswer.shape.dryRun
          .nullable()
          .describe('Null where the signal itself would be refused'),
        code: z.string().nullable(),
        message: z.string().nullable(),
      }),
    )
    .describe('What would be sent for each'),
})

export type HookAnswer = z.output<typeof hookAnswer>
export type HookSecretAnswer = z.output<typeof secretAnswer>
export type HookRequestAnswer = z.output<typeof requestAnswer>
export type WholeHookRequestAnswer = z.output<typeof wholeRequestAnswer>
export type HookTrialAnswer = z.output<typeof trialAnswer>

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
