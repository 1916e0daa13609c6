import type Router from '@koa/router'
import type { ApiState, RouteMiddleware } from '../context.ts'
import type { IdentityDeps } from './deps.ts'
import { deviceRoutes } from './device-routes.ts'
import { ownAccountRoutes } from './own-account-routes.ts'
import { passwordRoutes } from './password-routes.ts'
import { refreshCookie } from './refresh-cookie.ts'
import { secondFactorRoutes } from './second-factor-routes.ts'
import { sessionAnswer } from './session-answer.ts'
import { signInRoutes } from './sign-in-routes.ts'
import { tokenRoutes } from './token-routes.ts'

/** All routes of identity, behind the admit guard. */
export function identityRoutes(admit: RouteMiddleware, deps: IdentityDeps): Router<ApiState>[] {
  const cookie = refreshCookie(deps.settings.PUBLIC_URL)
  const answerSession = sessionAnswer(deps.signingKeys, cookie)
  return [
    signInRoutes(admit, deps, { cookie, answerSession }),
    passwordRoutes(admit, deps),
    secondFactorRoutes(admit, deps, answerSession),
    deviceRoutes(admit, deps),
    tokenRoutes(admit),
    ownAccountRoutes(admit),
  ]
}
