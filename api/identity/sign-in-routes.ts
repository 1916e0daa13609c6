import { standardSuccess } from '../http/envelopes.ts'
import { unauthenticated } from '../access/credential.ts'
import { readBody } from '../http/validation/request-body.ts'
import type { IdentityDeps } from './deps.ts'
import { checkNewPassword } from './password-commands.ts'
import { presentUser } from './record.ts'
import type { RefreshCookie } from './refresh-cookie.ts'
import { confirmRegistration, register } from './registration-commands.ts'
import { callerOf, personOf } from './requester.ts'
import * as schemas from './schema.ts'
import type { SessionAnswer } from './session-answer.ts'
import { closeSession, renewSession } from './session-commands.ts'
import { signIn } from './sign-in-commands.ts'
import { renewVerification } from './verification-commands.ts'
import { RouteList } from '../http/route-list.ts'

/** Registration, sign-in and sign-out. */
export function signInRoutes(
  deps: IdentityDeps,
  { cookie, answerSession }: { cookie: RefreshCookie; answerSession: SessionAnswer },
): RouteList {
  const routes = new RouteList('/api/v1/auth')

  routes.post('/register', async (ctx) => {
    const body = await readBody(ctx, schemas.registration)
    checkNewPassword(body.password, body.email, 'password')
    const user = await register(deps, ctx.state.em, body, callerOf(ctx))
    ctx.status = user ? 201 : 202
    const message = 'If this address can be registered, a message with a link is on its way to it'
    ctx.body = standardSuccess(user ? { user: presentUser(user) } : { message }, ctx.state.requestId)
  })

  routes.post('/register/confirm', async (ctx) => {
    const body = await readBody(ctx, schemas.confirmation)
    const user = await confirmRegistration(deps, ctx.state.em, body, callerOf(ctx))
    ctx.status = 201
    ctx.body = standardSuccess({ user: presentUser(user) }, ctx.state.requestId)
  })

  routes.post('/login', async (ctx) => {
    const { session: keep, ...credentials } = await readBody(ctx, schemas.login)
    const step = await signIn(deps, ctx.state.em, credentials, callerOf(ctx))
    if (step.isComplete) answerSession(ctx, step.session, { keep, user: step.user })
    else ctx.body = standardSuccess({ mfaRequired: true, mfaToken: step.mfaToken }, ctx.state.requestId)
  })

  routes.post('/refresh', async (ctx) => {
    const { refreshToken } = await readBody(ctx, schemas.refresh)
    const presented = refreshToken ?? cookie.read(ctx)
    const session = presented === null ? null : await renewSession(ctx.state.em, presented, callerOf(ctx))
    if (!session) throw unauthenticated()
    answerSession(ctx, session, { keep: refreshToken === undefined ? 'cookie' : 'token' })
  })

  routes.post('/logout', async (ctx) => {
    const { refreshToken } = await readBody(ctx, schemas.logout)
    const presented = refreshToken ?? cookie.read(ctx)
    if (presented !== null) await closeSession(ctx.state.em, presented, callerOf(ctx))
    cookie.clear(ctx)
    ctx.body = standardSuccess({ message: 'Signed out' }, ctx.state.requestId)
  })

  routes.post('/verify', async (ctx) => {
    const proof = await readBody(ctx, schemas.proof)
    const { user, caller, sessionId, em } = await personOf(ctx)
    await renewVerification(deps, em, { user, sessionId, caller, proof })
    ctx.body = standardSuccess({ message: 'Verified' }, ctx.state.requestId)
  })

  return routes
}
