import { ALERT_KINDS, ALERTS } from '#domain/alert.ts'
import { z } from 'zod'
import { pagingAnswer } from '../values/query.ts'
import { workflowAnswer } from '../envelopes.ts'

const alertAnswer = z
  .strictObject({
    id: z.uuid(),
    kind: z
      .enum(ALERT_KINDS)
      .describe(ALERT_KINDS.map((kind) => `\`${kind}\`: ${ALERTS[kind].meaning}`).join('\n\n')),
    message: z.string(),
    toDo: z
      .string()
      .nullable()
      .describe(
        'The one thing that a person does about it, by what is held and whether trading is stopped when it is read; null once it is over',
      ),
    accountId: z.uuid().nullable().describe('Null for an alert about an access token, a hook or a strategy'),
    tokenId: z.uuid().nullable().describe('The access token, or the hook, that the alert is about'),
    strategyId: z.uuid().nullable().describe('The strategy that the alert is about as a whole'),
    signalId: z.uuid().nullable(),
    orderId: z
      .uuid()
      .nullable()
      .describe(
        'A manual order; with neither a signal, an order, a symbol, a token nor a strategy the alert is about the whole account',
      ),
    workflow: workflowAnswer
      .nullable()
      .describe('The workflow of the signal or the order in Temporal; null where it is about neither'),
    symbol: z
      .string()
      .nullable()
      .describe('Of the signal or the order, or the one symbol of the account that the alert is about'),
    details: z.record(z.string(), z.unknown()),
    raisedAt: z.iso.datetime(),
    acknowledgedAt: z.iso.datetime().nullable(),
    acknowledgedBy: z.string().nullable(),
    resolvedAt: z.iso.datetime().nullable().describe('When its cause was gone; null while it is open'),
  })
  .meta({ id: 'Alert' })

export const alertListAnswer = z.strictObject({ alerts: z.array(alertAnswer), ...pagingAnswer })
export const acknowledgedAnswer = z.strictObject({ alert: alertAnswer })

export type AlertAnswer = z.output<typeof alertAnswer>
