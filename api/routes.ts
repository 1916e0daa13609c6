import { accountRoutes } from './account/routes.ts'
import { adminRoutes } from './admin/routes.ts'
import { agendaRoutes } from './agenda/routes.ts'
import { alertRoutes } from './alert/routes.ts'
import { assetRoutes } from './asset/routes.ts'
import { brokerRoutes } from './broker/routes.ts'
import { dashboardRoutes, statisticsRoutes } from './dashboard/routes.ts'
import { desktopRoutes } from './desktop/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { exportRoutes } from './export/routes.ts'
import { intakeRoutes } from './hook/intake/routes.ts'
import { flattenRoutes } from './flatten/routes.ts'
import { groupRoutes } from './group/routes.ts'
import { serviceRoutes } from './health/routes.ts'
import { hookRoutes, hookSecretRoutes, hookRequestRoutes, hookAddressRoutes } from './hook/routes.ts'
import { deviceRoutes, ownAccountRoutes, tokenRoutes } from './identity/access-routes.ts'
import { passwordRoutes, secondFactorRoutes, signInRoutes } from './identity/sign-in-routes.ts'
import { mailboxRoute } from './mail/mailbox-page.ts'
import { marketRoutes } from './market/routes.ts'
import { referenceRoutes } from './openapi/routes.ts'
import { cancelAllRoutes, letGoRoutes, placeRoutes, orderRoutes } from './order/routes.ts'
import { positionRoutes } from './position/routes.ts'
import { channelRoutes } from './notify/routes.ts'
import { telegramRoutes } from './notify/telegram/routes.ts'
import type { Route } from './route/route.ts'
import type { Services } from './services.ts'
import { haltRoutes, riskRoutes } from './risk/routes.ts'
import { decisionRoutes, protectionRoutes, signalRoutes } from './signal/routes.ts'
import { strategyRoutes } from './strategy/routes.ts'
import { tradeRoutes } from './trade/routes.ts'
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
  ...channelRoutes,
  ...telegramRoutes,
  ...eventRoutes,
  ...exportRoutes,
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
