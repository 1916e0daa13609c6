import { SIGNAL_STATUSES } from '#domain/signal-status.ts'
import { EXECUTE_MODES } from '#domain/signal.ts'
import { z } from 'zod'
import { pagingAnswer } from '../values/query.ts'
import { createdAnswer, signalAnswer, signalStatus } from '../signals/answers.ts'
import { dryRunAnswer } from '../signals/dry-run-answers.ts'

const instant = () => z.iso.datetime()

const sentLineAnswer = z
  .strictObject({
    accountId: z.uuid(),
    id: z.uuid().nullable().describe('Its signal; null where the account has none'),
    status: signalStatus.nullable(),
    executeMode: z.enum(EXECUTE_MODES).nullable(),
    orderId: z.uuid().nullable().describe('The entry order, once the broker has accepted it'),
    scheduledAt: instant().nullable().describe('When its order is sent'),
    code: z
      .string()
      .nullable()
      .describe('Why there is no signal, or why it came to nothing; null for one that stands'),
    message: z.string().describe('What happened, or happens next'),
  })
  .meta({ id: 'SignalOfGroup' })

export const createdGroupAnswer = createdAnswer.extend({
  signal: createdAnswer.shape.signal.describe('That of the first account that has one'),
  groupId: z
    .uuid()
    .nullable()
    .describe('Under which the signals stand together; null where each of them was there before'),
  signals: z.array(sentLineAnswer).describe('How it went for each account, in the order of accountIds'),
})

export const groupDryRunAnswer = dryRunAnswer.extend({
  dryRun: dryRunAnswer.shape.dryRun.describe('That of the first account that could be asked'),
  dryRuns: z
    .array(
      z.strictObject({
        accountId: z.uuid(),
        dryRun: dryRunAnswer.shape.dryRun.nullable().describe('Null where the account could not be asked'),
        code: z.string().nullable().describe('Why it could not'),
        message: z.string(),
      }),
    )
    .describe('What would happen on each account'),
})

const groupAnswer = z
  .strictObject({
    id: z.uuid(),
    summary: z.string().describe('What was asked for, in one line'),
    symbol: z.string(),
    tokenId: z.uuid().nullable().describe('The access token or hook that sent it; null for a person'),
    accounts: z.int().describe('How many accounts it asked for'),
    signals: z
      .partialRecord(z.enum(SIGNAL_STATUSES), z.int())
      .describe('How many of its signals are in each status; those without a signal are left out'),
    refused: z.int().describe('Accounts without a signal of their own'),
    createdAt: instant().describe('When it was received'),
  })
  .meta({ id: 'SignalGroup' })

export const groupListAnswer = z.strictObject({ groups: z.array(groupAnswer), ...pagingAnswer })

export const groupDetailAnswer = z.strictObject({
  group: groupAnswer,
  signals: z
    .array(signalAnswer)
    .describe('The oldest first; one that goes on with a target to its other side has `continues`'),
  refusals: z
    .array(
      z.strictObject({
        accountId: z.uuid(),
        code: z.string().describe('Stable, for programs'),
        message: z.string(),
        signalId: z
          .uuid()
          .nullable()
          .describe(
            'The earlier signal that stands in its place, because it holds the sourceId or is repeated',
          ),
      }),
    )
    .describe('Accounts without a signal of their own, and why'),
})

export const stoppedGroupAnswer = z.strictObject({
  results: z.array(
    z.strictObject({
      id: z.uuid(),
      accountId: z.uuid(),
      outcome: z
        .enum(['withdrawn', 'cancelled', 'asked', 'over', 'failed'])
        .describe(
          'withdrawn: no order is sent. cancelled: its entry was. asked: one of both, not confirmed yet. over: it had ended before. failed: `code` says why',
        ),
      code: z.string().nullable(),
      message: z.string(),
      signal: signalAnswer,
    }),
  ),
})

export type GroupAnswer = z.output<typeof groupAnswer>
export type GroupDetailAnswer = z.output<typeof groupDetailAnswer>
export type StoppedGroupAnswer = z.output<typeof stoppedGroupAnswer>
export type CreatedGroupAnswer = z.output<typeof createdGroupAnswer>
export type GroupDryRunAnswer = z.output<typeof groupDryRunAnswer>
export type SentLineAnswer = z.output<typeof sentLineAnswer>
