import type { Database } from '#db/engine/database.ts'
import { acknowledgeAlert, ALERT_ORDER, findAlerts, listAlerts, type KnownAlert } from '#db/risk/alerts.ts'
import { inPerson, scoped } from '../access/policy.ts'
import { FREE } from '../access/token-bounds.ts'
import { ApiError } from '#contract/errors.ts'
import { temporalUiFor } from '../http/workflow-link.ts'
import { listRoute, route } from '../route/route.ts'
import { acceptPositionOfAlert } from './position-commands.ts'
import { presentAlert } from './record.ts'
import { alertEndpoints } from '#contract/alerts/endpoints.ts'

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
