import { endpoints, idOf } from '../endpoint.ts'
import { examplePaging } from '../examples.ts'
import { acknowledgedAnswer, alertListAnswer, type AlertAnswer } from './answers.ts'
import { alertListQuery } from './schema.ts'

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
    description: 'Open ones, unless `state` says `all`. An alert stays open until its cause is gone.',
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
      'Says that a person knows. It ends the alert only where nothing else can tell that it is over.',
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
      'For an alert `position_differs`, after a split, a change of the symbol or a transfer: the difference counts as shares of the owner that belong to no signal, which no exit closes, and the alert is over. Not while the position is another one than the alert tells, nor while the account cannot be compared with its broker: an execution that cannot be read yet would count twice.',
    path: { id: idOf('ALERT_NOT_FOUND') },
    answers: {
      200: {
        description: 'The alert, which is over',
        schema: acknowledgedAnswer,
        examples: { accepted: { alert: DIFFERING } },
      },
    },
    errors: ['ALERT_NOT_FOUND', 'POSITION_NOT_FOUND', 'POSITIONS_UNAVAILABLE'],
  },
})
