import { ALERT_KINDS, ALERTS } from '#domain/alert/alert.ts'
import { z } from 'zod'
import { paging, pagingAnswer } from './values/query.ts'
import { oneOf, uuid } from './values/values.ts'
import { workflowAnswer, examplePaging } from './envelopes.ts'
import { endpoints, idOf } from './endpoint.ts'

const alertListQuery = z.strictObject({
  ...paging,
  state: oneOf(['open', 'all']).default('open'),
  kind: oneOf(ALERT_KINDS).optional(),
  accountId: uuid().optional(),
  signalId: uuid().optional(),
})

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
        'The one thing that a person does about it, by what is held and whether trading is stopped when it is read; null once the alert has ended',
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

const alertListAnswer = z.strictObject({ alerts: z.array(alertAnswer), ...pagingAnswer })
const acknowledgedAnswer = z.strictObject({ alert: alertAnswer })

export type AlertAnswer = z.output<typeof alertAnswer>

const ALERT_EXAMPLE: AlertAnswer = {
  id: '1e2d3c4b-5a69-4788-9697-a5b4c3d2e1f0',
  kind: 'unprotected_position',
  message:
    '26 AAPL are held and no exit order works for them: the broker rejected it (insufficient qty available)',
  toDo: 'Close the position yourself if it cannot wait until the exit is sent.',
  accountId: '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f',
  tokenId: null,
  strategyId: null,
  signalId: '2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e',
  orderId: null,
  workflow: { id: 'signal-2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e', url: null },
  symbol: 'AAPL',
  details: { quantity: '26' },
  raisedAt: '2026-03-02T20:45:02.310Z',
  acknowledgedAt: null,
  acknowledgedBy: null,
  resolvedAt: null,
}

const DIFFERING: AlertAnswer = {
  ...ALERT_EXAMPLE,
  kind: 'position_differs',
  message: 'The broker shows 100 NVDA where 10 were executed. Exits sell no more than both allow',
  toDo: null,
  signalId: null,
  workflow: null,
  symbol: 'NVDA',
  details: { shown: '100', executed: '10' },
  resolvedAt: '2026-03-02T20:51:00.000Z',
}

export const alertEndpoints = endpoints({
  'GET /api/v1/alerts': {
    tag: 'Alerts',
    summary: 'List alerts, the newest first',
    description: 'Open ones, unless `state` says `all`. An alert stays open until its cause has ended.',
    query: alertListQuery,
    answers: {
      200: {
        description: 'Alerts of the caller that fit the filter',
        schema: alertListAnswer,
        examples: { 'a position without an exit': { alerts: [ALERT_EXAMPLE], ...examplePaging(1) } },
      },
    },
    errors: [],
  },
  'POST /api/v1/alerts/:id/acknowledge': {
    tag: 'Alerts',
    summary: 'Acknowledge an alert',
    description:
      'Records that a person knows. It ends the alert only where the service cannot detect the end itself.',
    path: { id: idOf('ALERT_NOT_FOUND') },
    answers: {
      200: {
        description: 'Acknowledged, now or before',
        schema: acknowledgedAnswer,
        examples: {
          acknowledged: {
            alert: {
              ...ALERT_EXAMPLE,
              acknowledgedAt: '2026-03-02T20:46:00.000Z',
              acknowledgedBy: 'ada@example.com',
            },
          },
        },
      },
    },
    errors: ['ALERT_NOT_FOUND'],
  },
  'POST /api/v1/alerts/:id/accept-position': {
    tag: 'Alerts',
    summary: 'Accept the position that the broker shows',
    description:
      'For an alert `position_differs`, after a split, a change of the symbol or a transfer: the difference counts as shares of the owner that belong to no signal, which no exit closes, and the alert ends. Refused while the position differs from the one in the alert, and while the account cannot be compared with its broker: an execution that cannot be read yet would count twice.',
    path: { id: idOf('ALERT_NOT_FOUND') },
    answers: {
      200: {
        description: 'The alert, which has ended',
        schema: acknowledgedAnswer,
        examples: { accepted: { alert: DIFFERING } },
      },
    },
    errors: ['ALERT_NOT_FOUND', 'POSITION_NOT_FOUND', 'POSITIONS_UNAVAILABLE'],
  },
})
