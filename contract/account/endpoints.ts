import { endpoints, idOf } from '../endpoint.ts'
import { z } from 'zod'
import { flatOfAccount } from '../values/flat-by-close.ts'
import {
  accountAnswer,
  accountDetailAnswer,
  accountListAnswer,
  accountSummaryAnswer,
  accountSyncAnswer,
  accountSyncsAnswer,
  modeSwitchAnswer,
  ACCOUNT_EXAMPLE,
  accountListQuery,
  modeSwitch,
} from './shapes.ts'

const accountPath = { accountId: idOf('ACCOUNT_NOT_FOUND') }

const SYNCED_AT = '2026-03-02T14:31:10.120Z'

const SYNC =
  'Copies orders, balances and positions from the broker at once. The service also follows them by itself, so a sync only saves waiting. One sync runs for each account: a request during a sync joins it. Answers 202 when the sync has not ended within 10 seconds; it goes on.'

const STILL_RUNNING = 'Still running, and goes on'

const manySyncs = (description: string, isRunning: boolean) => ({
  description,
  schema: accountSyncsAnswer,
  examples: {
    'two accounts': {
      success: false,
      message: isRunning
        ? '0 of 2 accounts are synced, 1 still running, 1 failed'
        : '1 of 2 accounts are synced, 1 failed',
      accounts: [
        { accountId: ACCOUNT_EXAMPLE.id, success: true, syncedAt: isRunning ? null : SYNCED_AT },
        {
          accountId: '9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d',
          success: false,
          syncedAt: null,
          error: 'SYNC_FAILED',
          message: 'The broker gave no answer: No answer within 4000 ms',
        },
      ],
    },
  },
})

const syncAnswers = {
  200: manySyncs('The outcome for each account', false),
  202: manySyncs('Some are still running, and go on', true),
}

export const accountEndpoints = endpoints({
  'GET /api/v1/accounts': {
    tag: 'Accounts',
    summary: 'List the connected accounts, the primary one first',
    query: accountListQuery,
    answers: {
      200: {
        description: 'All accounts of the caller',
        schema: accountListAnswer,
        examples: { 'one paper account': { accounts: [ACCOUNT_EXAMPLE] } },
      },
    },
    errors: [],
  },
  'GET /api/v1/accounts/:accountId': {
    tag: 'Accounts',
    summary: 'Get an account with its balances and its connection',
    path: accountPath,
    answers: {
      200: {
        description: 'The account',
        schema: accountDetailAnswer,
        examples: {
          'a paper account': {
            ...ACCOUNT_EXAMPLE,
            dayTradingBuyingPower: null,
            marketValue: 18350.5,
            unrealisedPnl: 250.5,
            realisedPnl: 0,
            broker: { id: ACCOUNT_EXAMPLE.brokerId, brokerType: 'paper', status: 'connected' },
          },
        },
      },
    },
    errors: ['ACCOUNT_NOT_FOUND'],
  },
  'GET /api/v1/accounts/:accountId/summary': {
    tag: 'Accounts',
    summary: 'Get the summary of an account',
    description:
      'Balances, profit and loss of the day, exposure, open positions and orders, the health of its connection, and the halt that binds it. As last synced.',
    path: accountPath,
    answers: {
      200: {
        description: 'The account at a glance',
        schema: accountSummaryAnswer,
        examples: {
          'an account that may only reduce': {
            accountId: ACCOUNT_EXAMPLE.id,
            name: ACCOUNT_EXAMPLE.name,
            currency: 'USD',
            isDemo: true,
            isActive: true,
            isPrimary: true,
            equity: 100250.5,
            cashBalance: 81900,
            buyingPower: 181950.5,
            dayTradingBuyingPower: null,
            marketValue: 18350.5,
            dayPnl: 250.5,
            dayPnlPercent: 0.2505,
            unrealisedPnl: 250.5,
            realisedPnl: 0,
            openPositions: 2,
            openOrders: 1,
            exposure: { long: 18350.5, short: 0, gross: 18350.5, net: 18350.5, grossPercent: 18.3046 },
            broker: {
              id: ACCOUNT_EXAMPLE.brokerId,
              name: 'Paper venue',
              brokerType: 'paper',
              status: 'connected',
              statusDetail: null,
              lastCheckedAt: SYNCED_AT,
            },
            halt: { level: 'reduceOnly', scope: 'account', reason: 'earnings day' },
            lastSyncedAt: SYNCED_AT,
          },
        },
      },
    },
    errors: ['ACCOUNT_NOT_FOUND'],
  },
  'POST /api/v1/accounts/sync': {
    tag: 'Accounts',
    summary: 'Sync all accounts',
    description: SYNC,
    answers: syncAnswers,
    errors: [],
  },
  'POST /api/v1/accounts/sync/:brokerId': {
    tag: 'Accounts',
    summary: 'Sync the accounts of a connection',
    description: SYNC,
    path: { brokerId: idOf('BROKER_NOT_FOUND') },
    answers: syncAnswers,
    errors: ['BROKER_NOT_FOUND'],
  },
  'POST /api/v1/accounts/:accountId/sync': {
    tag: 'Accounts',
    summary: 'Sync an account',
    description: SYNC,
    path: accountPath,
    answers: {
      200: {
        description: 'Synced',
        schema: accountSyncAnswer,
        examples: { synced: { success: true, message: 'The account is synced', syncedAt: SYNCED_AT } },
      },
      202: {
        description: STILL_RUNNING,
        schema: accountSyncAnswer,
        examples: {
          'still running': { success: true, message: 'The sync is still running', syncedAt: null },
        },
      },
    },
    errors: [
      'ACCOUNT_NOT_FOUND',
      'ACCOUNT_INACTIVE',
      'BROKER_CREDENTIALS_INVALID',
      'SYNC_FAILED',
      'TEMPORAL_UNAVAILABLE',
    ],
  },
  'PATCH /api/v1/accounts/:accountId': {
    tag: 'Accounts',
    summary: 'Change the settings of an account',
    description: 'What is left out stays as it is. To hold a live account longer asks for a fresh proof.',
    path: accountPath,
    body: {
      schema: z.strictObject({ flatByClose: flatOfAccount().optional() }),
      examples: {
        'flat ten minutes before the close': { flatByClose: { minutes: 10, includeManual: true } },
        'not any more': { flatByClose: null },
      },
    },
    answers: {
      200: {
        description: 'The account as it is now',
        schema: accountAnswer,
        examples: {
          'flat by the close': { ...ACCOUNT_EXAMPLE, flatByClose: { minutes: 10, includeManual: true } },
        },
      },
    },
    errors: ['ACCOUNT_NOT_FOUND', 'VERIFICATION_REQUIRED'],
  },
  'PUT /api/v1/accounts/:accountId/primary': {
    tag: 'Accounts',
    summary: 'Make an account the primary one',
    description:
      'Replaces the primary account: there is one at most, also when several requests change it at the same moment. A live account asks for a JWT and a proof of the last five minutes of who you are, by the sign-in or by POST /auth/verify.',
    path: accountPath,
    answers: {
      200: {
        description: 'The account, now the primary one',
        schema: accountAnswer,
        examples: { 'the primary account': ACCOUNT_EXAMPLE },
      },
    },
    errors: ['ACCOUNT_NOT_FOUND', 'ACCOUNT_INACTIVE', 'VERIFICATION_REQUIRED'],
  },
  'POST /api/v1/accounts/mode': {
    tag: 'Accounts',
    summary: 'Switch between paper and live trading',
    description:
      'An order is sent only to accounts of the mode: PAPER to demo accounts, LIVE to live ones, for real money. Signals that wait are judged by the mode of the moment in which they are sent. LIVE asks for `LIVE_TRADING=enabled` on the server, a JWT, and a proof of the last five minutes of who you are: by `password`, or by `code` where you have a second factor, with this request or before by POST /auth/verify. A token may switch to PAPER.',
    body: {
      schema: z.strictObject(modeSwitch),
      examples: {
        'back to paper': { mode: 'PAPER' },
        'to live, with a code': { mode: 'LIVE', code: '123456' },
      },
    },
    answers: {
      200: {
        description: 'The mode that applies now',
        schema: modeSwitchAnswer,
        examples: {
          paper: { success: true, mode: 'PAPER', message: 'The mode is PAPER: orders go to demo accounts' },
        },
      },
    },
    errors: ['LIVE_TRADING_DISABLED', 'VERIFICATION_REQUIRED', 'WRONG_PASSWORD', 'WRONG_CODE'],
  },
})
