import { standardSuccess } from '../http/envelopes.ts'
import { readBody } from '../http/validation/request-body.ts'
import type { IdentityDeps } from './deps.ts'
import type { DeviceCookie } from './device-cookie.ts'
import { changePassword, requestPasswordReset, resetPassword } from './password-commands.ts'
import { callerOf, personOf } from './requester.ts'
import * as schemas from './schema.ts'
import { RouteList } from '../http/route-list.ts'

/** Forgotten and changed passwords. */
export function passwordRoutes(deps: IdentityDeps, rememberDevice: DeviceCookie): RouteList {
  const routes = new RouteList('/api/v1/auth')

  routes.post('/forgot-password', async (ctx) => {
    const { email } = await readBody(ctx, schemas.forgottenPassword)
    requestPasswordReset(deps, ctx.state.em, email, callerOf(ctx))
    ctx.status = 202
    ctx.body = standardSuccess(
      { message: 'If there is an account with this address, a link is on its way to it' },
      ctx.state.requestId,
    )
  })

  routes.post('/reset-password', async (ctx) => {
    const body = await readBody(ctx, schemas.passwordReset)
    // Whoever opened the link is known from here on: strangers who go on trying passwords do not lock them out again.
    rememberDevice(ctx, await resetPassword(deps, ctx.state.em, body, callerOf(ctx)))
    ctx.body = standardSuccess(
      { message: 'The new password is set; all sessions were ended' },
      ctx.state.requestId,
    )
  })

  routes.put('/password', async (ctx) => {
    const { currentPassword, newPassword, code } = await readBody(ctx, schemas.passwordChange)
    const { user, caller, sessionId, em } = await personOf(ctx)
    const proof = { password: currentPassword, code }
    const passwordHash = await changePassword(deps, em, { user, sessionId, caller, proof }, newPassword)
    rememberDevice(ctx, { id: user.id, passwordHash })
    ctx.body = standardSuccess(
      { message: 'The new password is set; your other sessions were ended' },
      ctx.state.requestId,
    )
  })

  return routes
}
