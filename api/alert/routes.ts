import { type KnownAlert, findAlerts, acknowledgeAlert, ALERT_ORDER, listAlerts } from '#db/alert/alerts.ts'
import { remedyOf } from '#domain/alert/remedies.ts'
import { toIsoInstant, workflowOf, temporalUiFor } from '../http/presentation.ts'
import { type AlertAnswer, alertEndpoints } from '#contract/alerts.ts'
import type { Database } from '#db/engine/database.ts'
import { acceptPosition } from '#db/position/position-acceptance.ts'
import { requireWithinBounds, inPerson, scoped, FREE } from '../access/policy.ts'
import { positionUnreadable } from '../admin/commands.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import { auditTrading } from '../http/trading-audit.ts'
import { listRoute, route } from '../route/route.ts'

export const presentAlert = (
  { alert, orderId, symbol, facts }: KnownAlert,
  temporalUi: string | null,
): AlertAnswer => ({
  id: alert.id,
  kind: alert.kind,
  message: alert.message,
  toDo: alert.resolvedAt == null ? remedyOf(alert.kind, alert.data, facts).text : null,
  accountId: alert.accountId ?? null,
  tokenId: alert.tokenId ?? null,
  strategyId: alert.strategyId ?? null,
  signalId: orderId === null ? (alert.signalId ?? null) : null,
  orderId,
  workflow: workflowOf(alert, temporalUi),
  symbol,
  details: alert.data,
  raisedAt: toIsoInstant(alert.raisedAt),
  acknowledgedAt: toIsoInstant(alert.acknowledgedAt),
  acknowledgedBy: alert.acknowledgedBy ?? null,
  resolvedAt: toIsoInstant(alert.resolvedAt),
})

/** Throws ALERT_NOT_FOUND, TOKEN_BOUNDS_EXCEEDED, POSITION_NOT_FOUND and POSITIONS_UNAVAILABLE. */
async function acceptPositionOfAlert(database: Database, caller: Caller, alertId: string): Promise<void> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const [known] = await inTime(findAlerts(em, principal.userId, [alertId]))
  if (!known) throw new ApiError('ALERT_NOT_FOUND')
  const { accountId, symbol, kind, resolvedAt } = known.alert
  if (accountId == null) throw nothingToAccept()
  requireWithinBounds(principal, { accountId })
  if (kind !== 'position_differs' || symbol == null || resolvedAt != null) throw nothingToAccept()
  // Only the service writes fills; access is checked already.
  const accepted = await inTime(acceptPosition(database.em.fork(), accountId, symbol))
  if (accepted === 'unreadable') throw positionUnreadable()
  if (accepted === 'changed')
    throw new ApiError('POSITION_NOT_FOUND', {
      message: `The position in ${symbol} differs from the alert by now; read the alert again`,
    })
  if (typeof accepted === 'string') throw nothingToAccept()
  const { shown, executed } = accepted
  await inTime(auditTrading(em, caller, 'position.accepted', { accountId, symbol, shown, executed }))
}

const nothingToAccept = (): ApiError =>
  new ApiError('POSITION_NOT_FOUND', {
    message: 'The alert has no position difference, or has ended',
  })

interface AlertDeps {
  temporalUiUrl: string | null
}

interface AcceptDeps extends AlertDeps {
  ordinaryDatabase: Database
}

export const alertRoutes = [
  listRoute(alertEndpoints['GET /api/v1/alerts'], {
    access: scoped('trading:read'),
    list: {
      order: ALERT_ORDER,
      rows: 'alerts',
      present: (alert: KnownAlert, me, { temporalUiUrl }: AlertDeps) =>
        presentAlert(alert, temporalUiFor(me, temporalUiUrl)),
    },
    run: ({ em, me, filter, page }) => listAlerts(em, me.userId, filter, page),
  }),
  route(alertEndpoints['POST /api/v1/alerts/:id/acknowledge'], {
    access: inPerson(),
    run: async ({ em, me, caller, path }, { temporalUiUrl }: AlertDeps) => {
      const alert = await acknowledgeAlert(em, me.userId, path.id, await caller.actorName())
      if (!alert) throw new ApiError('ALERT_NOT_FOUND')
      return { alert: presentAlert(alert, temporalUiFor(me, temporalUiUrl)) }
    },
  }),
  route(alertEndpoints['POST /api/v1/alerts/:id/accept-position'], {
    access: scoped('accounts:write', { bounds: { ...FREE, accountIds: 'judged' } }),
    run: async ({ em, me, caller, path }, { ordinaryDatabase, temporalUiUrl }: AcceptDeps) => {
      await acceptPositionOfAlert(ordinaryDatabase, caller, path.id)
      const [alert] = await caller.beforeDatabaseDeadline(findAlerts(em, me.userId, [path.id]))
      if (!alert) throw new ApiError('ALERT_NOT_FOUND')
      return { alert: presentAlert(alert, temporalUiFor(me, temporalUiUrl)) }
    },
  }),
]
