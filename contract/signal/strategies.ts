import { z } from 'zod'
import { expects } from '../hook/requests.ts'
import { flatOfSignals, flatByCloseAnswer } from '../values/flat-by-close.ts'
import { metadata } from '../values/metadata.ts'
import { paging, pagingAnswer } from '../values/query.ts'
import { lineOfText, linesOfText, oneOf, uuid } from '../values/values.ts'
import { expectsAnswer } from '../hook/answers.ts'
import { endpoints, idOf } from '../endpoint.ts'
import { examplePaging } from '../envelopes.ts'

const STRATEGY_STATUSES = ['active', 'paused'] as const

const fields = {
  name: z.string({ error: 'must be text' }).trim().pipe(lineOfText(100)),
  description: linesOfText(2_000).nullable(),
  status: oneOf(STRATEGY_STATUSES),
  defaultAccountId: uuid().nullable(),
  metadata: metadata(),
  expects: expects(),
  flatByClose: flatOfSignals(),
}

const newStrategy = {
  ...fields,
  description: fields.description.default(null),
  status: fields.status.default('active'),
  defaultAccountId: fields.defaultAccountId.default(null),
  metadata: fields.metadata.default({}),
  expects: fields.expects.default(null),
  flatByClose: fields.flatByClose.default(null),
}

const strategyChange = z.strictObject(fields).partial()

const strategyListQuery = z.strictObject({
  ...paging,
  status: fields.status.optional(),
  archived: oneOf(['true', 'false'])
    .default('false')
    .transform((word) => word === 'true'),
})

export const strategyAnswer = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    status: z.enum(STRATEGY_STATUSES),
    defaultAccountId: z
      .uuid()
      .nullable()
      .describe('The account that forms suggest; signals always name their own'),
    metadata: z.record(z.string(), z.unknown()),
    expects: expectsAnswer,
    flatByClose: flatByCloseAnswer,
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    archivedAt: z.iso.datetime().nullable().describe('When it was deleted; null while it is in use'),
    stats: z
      .strictObject({
        signals: z.int().describe('All accepted signals, with any outcome'),
        trades: z.int().describe('Round trips that are closed'),
        winRate: z
          .number()
          .nullable()
          .describe('Percent of the trades with a profit; null without any trade'),
        realisedPnl: z.number().describe('Dollars, after fees'),
      })
      .describe('On the accounts of the trading mode that the user is in'),
  })
  .meta({ id: 'Strategy' })

const strategyListAnswer = z.strictObject({ strategies: z.array(strategyAnswer), ...pagingAnswer })
const strategyDeletionAnswer = z.strictObject({ message: z.string(), strategyId: z.uuid() })

export type StrategyAnswer = z.output<typeof strategyAnswer>

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
      'With `archived=true` it lists deleted strategies; past signals and trades still refer to them. Figures are of the accounts of the trading mode that the user is in.',
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
    summary: 'Get a strategy with its results',
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
        description: 'The strategy is no longer in use',
        schema: strategyDeletionAnswer,
        examples: { deleted: { message: 'The strategy is deleted', strategyId: STRATEGY_EXAMPLE.id } },
      },
    },
    errors: ['STRATEGY_NOT_FOUND', 'STRATEGY_IN_USE'],
  },
})
