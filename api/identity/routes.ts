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
import type { RouteList } from '../http/route-list.ts'

/** All routes of identity. */
export function identityRoutes(deps: IdentityDeps): RouteList[] {
  const cookie = refreshCookie(deps.settings.PUBLIC_URL)
  const rememberDevice = deviceCookie(deps.settings.PUBLIC_URL, deps.deviceKeys)
  const answerSession = sessionAnswer(deps.signingKeys, cookie, rememberDevice)
  return [
    signInRoutes(deps, { cookie, answerSession }),
    passwordRoutes(deps, rememberDevice),
    secondFactorRoutes(deps, answerSession),
    deviceRoutes(deps, rememberDevice),
    tokenRoutes(),
    ownAccountRoutes(),
  ]
}
