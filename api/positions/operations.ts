import { z } from 'zod'
import type { Operations } from '../openapi/operation.ts'
import { uuid } from '../validation/values.ts'
import { accountPositionListAnswer, positionListAnswer, type AccountPositionAnswer } from './answers.ts'
import { positionListQuery } from './query.ts'

const ACCOUNT = '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f'
const EXAMPLE: AccountPositionAnswer = {
  id: '6b5a4c3d-2e1f-4a0b-9c8d-7e6f5a4b3c2d',
  symbol: 'AAPL',
  quantity: 26,
  side: 'LONG',
  avgCost: 187.48,
  currentPrice: 188.1,
  marketValue: 4890.6,
  unrealisedPnl: 16.12,
  unrealisedPnlPercent: 0.3307,
  lastUpdated: '2026-03-02T15:04:05.000Z',
}
const SUMMARY = {
  totalMarketValue: 4890.6,
  totalUnrealisedPnl: 16.12,
  totalDayChange: 16.12,
  positionCount: 1,
}
const SYNCED =
  'As the broker last told; a sync of the account refreshes them. What is closed is not shown. Not known, and `POSITIONS_UNAVAILABLE`, are those of an account that was never synced, or whose connection has been in error for five minutes.'

/** The routes of positions, for the description of the API. */
export const positionOperations: Operations = {
  'GET /api/v1/positions': {
    tag: 'Positions',
    summary: 'List the positions of all accounts',
    description: SYNCED,
    query: positionListQuery,
    answers: {
      200: {
        description: 'Positions of the caller that fit the filter, and their totals',
        schema: positionListAnswer,
        examples: {
          'one position': {
            positions: [{ ...EXAMPLE, accountId: ACCOUNT, dayChange: 0.62, dayChangePercent: 0.3307 }],
            summary: SUMMARY,
          },
        },
      },
    },
    errors: ['POSITIONS_UNAVAILABLE'],
  },
  'GET /api/v1/positions/:accountId': {
    tag: 'Positions',
    summary: 'List the positions of one account',
    description: SYNCED,
    path: z.strictObject({ accountId: uuid() }),
    answers: {
      200: {
        description: 'Positions of the account, and their totals',
        schema: accountPositionListAnswer,
        examples: { 'one position': { accountId: ACCOUNT, positions: [EXAMPLE], summary: SUMMARY } },
      },
    },
    errors: ['ACCOUNT_NOT_FOUND', 'POSITIONS_UNAVAILABLE'],
  },
}
