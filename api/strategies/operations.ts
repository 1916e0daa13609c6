import { z } from 'zod'
import { exampleAnswer, examplePaging } from '../http/examples.ts'
import type { Operations } from '../http/operation.ts'
import { noQuery } from '../http/validation/query.ts'
import {
  strategyDeletionAnswer,
  strategyDetailAnswer,
  strategyListAnswer,
  type StrategyAnswer,
} from './answers.ts'
import { newStrategy, strategyChange, strategyListQuery, strategyPath } from './schema.ts'

const EXAMPLE: StrategyAnswer = {
  id: '5c0f7a52-3f0e-4c6b-9f53-2d8a1e7b4c90',
  name: 'Opening range',
  description: 'Breakouts of the first fifteen minutes',
  status: 'active',
  defaultAccountId: '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f',
  metadata: { chart: '15m' },
  createdAt: '2026-03-02T14:30:05.000Z',
  updatedAt: '2026-03-02T14:30:05.000Z',
  archivedAt: null,
  stats: { signals: 42, trades: 19, winRate: 57.8947, realisedPnl: 1240.55 },
}

/** The routes of strategies, for the description of the API. */
export const strategyOperations: Operations = {
  'GET /api/v1/strategies': {
    tag: 'Strategies',
    summary: 'List strategies, the newest first',
    description:
      'With `archived=true` those that were deleted, to which signals and trades of the past still point. Figures are of the accounts of the trading mode that the user is in.',
    query: strategyListQuery,
    answers: {
      200: {
        description: 'A page of strategies',
        schema: strategyListAnswer,
        examples: {
          'one strategy': exampleAnswer({ strategies: [EXAMPLE], ...examplePaging(1) }),
        },
      },
    },
    errors: [],
  },
  'POST /api/v1/strategies': {
    tag: 'Strategies',
    summary: 'Make a strategy',
    description: 'Names are unique among the strategies of a user that are in use; capitals do not matter.',
    body: {
      schema: z.strictObject(newStrategy),
      examples: { 'with its account': { name: EXAMPLE.name, defaultAccountId: EXAMPLE.defaultAccountId } },
    },
    answers: {
      201: {
        description: 'The strategy',
        schema: strategyDetailAnswer,
        examples: {
          'a fresh strategy': exampleAnswer({
            ...EXAMPLE,
            stats: { signals: 0, trades: 0, winRate: null, realisedPnl: 0 },
          }),
        },
      },
    },
    errors: ['ACCOUNT_NOT_FOUND', 'STRATEGY_NAME_TAKEN'],
  },
  'GET /api/v1/strategies/:strategyId': {
    tag: 'Strategies',
    summary: 'Show a strategy and what it has done',
    path: strategyPath,
    query: noQuery,
    answers: {
      200: {
        description: 'The strategy',
        schema: strategyDetailAnswer,
        examples: { 'a strategy': exampleAnswer(EXAMPLE) },
      },
    },
    errors: ['STRATEGY_NOT_FOUND'],
  },
  'PATCH /api/v1/strategies/:strategyId': {
    tag: 'Strategies',
    summary: 'Change, pause or activate a strategy',
    description:
      'What is left out stays as it is. While a strategy is paused its new signals that open positions are refused with STRATEGY_PAUSED, and those that wait are denied when their time comes or a person lets them go; signals that close positions, orders that are out and exits go on.',
    path: strategyPath,
    body: {
      schema: z.strictObject(strategyChange),
      examples: { 'pause it': { status: 'paused' }, 'rename it': { name: 'Opening range, 5 minutes' } },
    },
    answers: {
      200: {
        description: 'The strategy as it is now',
        schema: strategyDetailAnswer,
        examples: {
          'a paused strategy': exampleAnswer({ ...EXAMPLE, status: 'paused' }),
        },
      },
    },
    errors: ['STRATEGY_NOT_FOUND', 'ACCOUNT_NOT_FOUND', 'STRATEGY_NAME_TAKEN'],
  },
  'DELETE /api/v1/strategies/:strategyId': {
    tag: 'Strategies',
    summary: 'Delete a strategy',
    description:
      'Refused while signals of it wait to be sent. Its signals and trades keep it, so that it stays in the list with `archived=true`; its name is free again.',
    path: strategyPath,
    answers: {
      200: {
        description: 'It is out of use',
        schema: strategyDeletionAnswer,
        examples: {
          deleted: exampleAnswer({ message: 'The strategy is deleted', strategyId: EXAMPLE.id }),
        },
      },
    },
    errors: ['STRATEGY_NOT_FOUND', 'STRATEGY_IN_USE'],
  },
}
