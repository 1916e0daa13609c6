import { z } from 'zod'
import type { Operations } from '../openapi/operation.ts'
import { noQuery } from '../validation/query.ts'
import { uuid } from '../validation/values.ts'
import { accountDetailAnswer, accountListAnswer, type AccountAnswer } from './answers.ts'

const EXAMPLE: AccountAnswer = {
  id: '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f',
  brokerId: '0b54a3c1-8d2f-4e67-b1a9-5f6e7d8c9b0a',
  brokerAccountId: 'PA3XY7Z9',
  name: 'Paper account',
  type: 'MARGIN',
  currency: 'USD',
  equity: 100250.5,
  cashBalance: 81900,
  buyingPower: 181950.5,
  isActive: true,
  isDemo: true,
  isPrimary: true,
  lastSyncedAt: '2026-03-02T14:30:05.000Z',
}

/** The routes of accounts, for the description of the API. */
export const accountOperations: Operations = {
  'GET /api/v1/accounts': {
    tag: 'Accounts',
    summary: 'List the connected accounts, the primary one first',
    query: noQuery,
    answers: {
      200: {
        description: 'All accounts of the caller',
        schema: accountListAnswer,
        examples: { 'one paper account': { accounts: [EXAMPLE] } },
      },
    },
    errors: [],
  },
  'GET /api/v1/accounts/:accountId': {
    tag: 'Accounts',
    summary: 'Show an account with its balances and its connection',
    path: z.strictObject({ accountId: uuid() }),
    answers: {
      200: {
        description: 'The account',
        schema: accountDetailAnswer,
        examples: {
          'a paper account': {
            ...EXAMPLE,
            dayTradingBuyingPower: null,
            marketValue: 18350.5,
            unrealisedPnl: 250.5,
            realisedPnl: 0,
            broker: { id: EXAMPLE.brokerId, brokerType: 'paper', status: 'connected' },
          },
        },
      },
    },
    errors: ['ACCOUNT_NOT_FOUND'],
  },
}
