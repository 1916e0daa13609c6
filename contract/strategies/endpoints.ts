import { endpoints, idOf } from '../endpoint.ts'
import { z } from 'zod'
import { examplePaging } from '../examples.ts'
import { strategyAnswer, strategyDeletionAnswer, strategyListAnswer, type StrategyAnswer } from './answers.ts'
import { newStrategy, strategyChange, strategyListQuery } from './schema.ts'

const strategyPath = { strategyId: idOf('STRATEGY_NOT_FOUND') }

const STRATEGY_EXAMPLE: StrategyAnswer = {
  id: '5c0f7a52-3f0e-4c6b-9f53-2d8a1e7b4c90',
  name: 'Opening range',
  description: 'Breakouts of the first fifteen minutes',
  status: 'active',
  defaultAccountId: '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f',
  metadata: { chart: '15m' },
  expects: { everySession: '10:00' },
  flatByClose: { minutes: 10, includeManual: false },
  createdAt: '2026-03-02T14:30:05.000Z',
  updatedAt: '2026-03-02T14:30:05.000Z',
  archivedAt: null,
  stats: { signals: 42, trades: 19, winRate: 57.8947, realisedPnl: 1240.55 },
}

const answerOf = (description: string, words: string, strategy: StrategyAnswer) => ({
  description,
  schema: strategyAnswer,
  examples: { [words]: strategy },
})

export const strategyEndpoints = endpoints({
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
        examples: { 'one strategy': { strategies: [STRATEGY_EXAMPLE], ...examplePaging(1) } },
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
      examples: {
        'with its account': {
          name: STRATEGY_EXAMPLE.name,
          defaultAccountId: STRATEGY_EXAMPLE.defaultAccountId,
        },
      },
    },
    answers: {
      201: answerOf('The strategy', 'a fresh strategy', {
        ...STRATEGY_EXAMPLE,
        stats: { signals: 0, trades: 0, winRate: null, realisedPnl: 0 },
      }),
    },
    errors: ['ACCOUNT_NOT_FOUND', 'STRATEGY_NAME_TAKEN'],
  },
  'GET /api/v1/strategies/:strategyId': {
    tag: 'Strategies',
    summary: 'Show a strategy and what it has done',
    path: strategyPath,
    answers: { 200: answerOf('The strategy', 'a strategy', STRATEGY_EXAMPLE) },
    errors: ['STRATEGY_NOT_FOUND'],
  },
  'PATCH /api/v1/strategies/:strategyId': {
    tag: 'Strategies',
    summary: 'Change, pause or activate a strategy',
    description:
      'What is left out stays as it is. While a strategy is paused its new signals that open positions are refused with STRATEGY_PAUSED, and those that wait are denied when their time comes or a person lets them go; signals that close positions, orders that are out and exits go on. Who has a live account is asked for a proof of the last five minutes of who they are, to activate a strategy and to have it hold positions longer.',
    path: strategyPath,
    body: {
      schema: strategyChange,
      examples: { 'pause it': { status: 'paused' }, 'rename it': { name: 'Opening range, 5 minutes' } },
    },
    answers: {
      200: answerOf('The strategy as it is now', 'a paused strategy', {
        ...STRATEGY_EXAMPLE,
        status: 'paused',
      }),
    },
    errors: ['STRATEGY_NOT_FOUND', 'ACCOUNT_NOT_FOUND', 'STRATEGY_NAME_TAKEN', 'VERIFICATION_REQUIRED'],
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
        examples: { deleted: { message: 'The strategy is deleted', strategyId: STRATEGY_EXAMPLE.id } },
      },
    },
    errors: ['STRATEGY_NOT_FOUND', 'STRATEGY_IN_USE'],
  },
})
