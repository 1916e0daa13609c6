import type Router from '@koa/router'
import type { ApiState, RouteMiddleware } from '../context.ts'
import type { IdentityDeps } from './deps.ts'
import { deviceCookie } from './device-cookie.ts'
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
  const rememberDevice = deviceCookie(deps.settings.PUBLIC_URL, deps.deviceKeys)
  const answerSession = sessionAnswer(deps.signingKeys, cookie, rememberDevice)
  return [
    signInRoutes(admit, deps, { cookie, answerSession }),
    passwordRoutes(admit, deps, rememberDevice),
    secondFactorRoutes(admit, deps, answerSession),
    deviceRoutes(admit, deps, rememberDevice),
    tokenRoutes(admit),
    ownAccountRoutes(admit),
  ]
}
