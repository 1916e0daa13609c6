import type { Database } from '#db/engine/database.ts'
import { acknowledgeAlert, ALERT_ORDER, findAlerts, listAlerts, type KnownAlert } from '#db/risk/alerts.ts'
import { inPerson, scoped } from '../access/policy.ts'
import { FREE } from '../access/token-bounds.ts'
import { ApiError } from '../http/errors.ts'
import { examplePaging } from '../http/examples.ts'
import { temporalUiFor } from '../http/workflow-link.ts'
import { idOf, listRoute, route } from '../route/route.ts'
import { acknowledgedAnswer, alertListAnswer, type AlertAnswer } from './answers.ts'
import { acceptPositionOfAlert } from './position-commands.ts'
import { presentAlert } from './record.ts'
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

interface AlertDeps {
  temporalUiUrl: string | null
}

interface AcceptDeps extends AlertDeps {
  ordinaryDatabase: Database
}

export const alertRoutes = [
  listRoute({
    name: 'GET /api/v1/alerts',
    access: scoped('trading:read'),
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
    list: {
      order: ALERT_ORDER,
      rows: 'alerts',
      present: (alert: KnownAlert, me, { temporalUiUrl }: AlertDeps) =>
        presentAlert(alert, temporalUiFor(me, temporalUiUrl)),
    },
    run: ({ em, me, filter, page }) => listAlerts(em, me.userId, filter, page),
  }),
  route({
    name: 'POST /api/v1/alerts/:id/acknowledge',
    access: inPerson(),
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
    run: async ({ em, me, caller, path }, { temporalUiUrl }: AlertDeps) => {
      const alert = await acknowledgeAlert(em, me.userId, path.id, await caller.actorName())
      if (!alert) throw new ApiError('ALERT_NOT_FOUND')
      return { alert: presentAlert(alert, temporalUiFor(me, temporalUiUrl)) }
    },
  }),
  route({
    name: 'POST /api/v1/alerts/:id/accept-position',
    access: scoped('accounts:write', { bounds: { ...FREE, accountIds: 'judged' } }),
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
    run: async ({ em, me, caller, path }, { ordinaryDatabase, temporalUiUrl }: AcceptDeps) => {
      await acceptPositionOfAlert(ordinaryDatabase, caller, path.id)
      const [alert] = await caller.beforeDatabaseDeadline(findAlerts(em, me.userId, [path.id]))
      if (!alert) throw new ApiError('ALERT_NOT_FOUND')
      return { alert: presentAlert(alert, temporalUiFor(me, temporalUiUrl)) }
    },
  }),
]
