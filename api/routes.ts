import { accountRoutes } from './accounts/routes.ts'
import { adminRoutes } from './admin/routes.ts'
import { agendaRoutes } from './agenda/routes.ts'
import { alertRoutes } from './alerts/routes.ts'
import { assetRoutes } from './assets/routes.ts'
import { brokerRoutes } from './brokers/routes.ts'
import { dashboardRoutes, statisticsRoutes } from './dashboard/routes.ts'
import { desktopRoutes } from './desktop/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { intakeRoutes } from './hooks/intake/routes.ts'
import { flattenRoutes } from './flatten/routes.ts'
import { groupRoutes } from './groups/routes.ts'
import { serviceRoutes } from './health/routes.ts'
import { hookRoutes, hookSecretRoutes, hookRequestRoutes, hookAddressRoutes } from './hooks/routes.ts'
import { deviceRoutes, ownAccountRoutes, tokenRoutes } from './identity/access-routes.ts'
import { passwordRoutes, secondFactorRoutes, signInRoutes } from './identity/sign-in-routes.ts'
import { mailboxRoute } from './mail/mailbox-page.ts'
import { marketRoutes } from './market/routes.ts'
import { referenceRoutes } from './openapi/routes.ts'
import { cancelAllRoutes, letGoRoutes, placeRoutes, orderRoutes } from './orders/routes.ts'
import { positionRoutes } from './positions/routes.ts'
import { pushRoutes } from './push/routes.ts'
import type { Route } from './route/route.ts'
import type { Services } from './services.ts'
import { haltRoutes, riskRoutes } from './settings/routes.ts'
import { decisionRoutes, protectionRoutes, signalRoutes } from './signals/routes.ts'
import { strategyRoutes } from './strategies/routes.ts'
import { tradeRoutes } from './trades/routes.ts'
import { webAppRoutes } from './web-app/routes.ts'

export const ROUTES: readonly Route<Services>[] = [
  ...signalRoutes,
  ...decisionRoutes,
  ...protectionRoutes,
  ...groupRoutes,
  ...agendaRoutes,
  ...intakeRoutes,
  ...hookAddressRoutes,
  ...hookRoutes,
  ...hookSecretRoutes,
  ...hookRequestRoutes,
  ...orderRoutes,
  ...placeRoutes,
  ...cancelAllRoutes,
  ...letGoRoutes,
  ...tradeRoutes,
  ...flattenRoutes,
  ...positionRoutes,
  ...accountRoutes,
  ...strategyRoutes,
  ...dashboardRoutes,
  ...statisticsRoutes,
  ...brokerRoutes,
  ...assetRoutes,
  ...marketRoutes,
  ...riskRoutes,
  ...haltRoutes,
  ...alertRoutes,
  ...pushRoutes,
  ...eventRoutes,
  ...signInRoutes,
  ...passwordRoutes,
  ...secondFactorRoutes,
  ...deviceRoutes,
  ...ownAccountRoutes,
  ...tokenRoutes,
  ...desktopRoutes,
  ...adminRoutes,
  ...serviceRoutes,
  ...webAppRoutes,
  ...referenceRoutes,
  mailboxRoute,
]
