import { z } from 'zod'
import { expectsAnswer } from '../hooks/answers.ts'
import { flatByCloseAnswer } from '../values/flat-by-close.ts'
import { pagingAnswer } from '../values/query.ts'
import { STRATEGY_STATUSES } from './schema.ts'

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
        signals: z.int().describe('All that were accepted, whatever became of them'),
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

export const strategyListAnswer = z.strictObject({ strategies: z.array(strategyAnswer), ...pagingAnswer })
export const strategyDeletionAnswer = z.strictObject({ message: z.string(), strategyId: z.uuid() })

export type StrategyAnswer = z.output<typeof strategyAnswer>
