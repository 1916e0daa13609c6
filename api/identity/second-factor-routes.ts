import type { UserRecord } from '#db/identity/users.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { fault, validationError } from '../http/errors.ts'
import { readBody } from '../http/validation/request-body.ts'
import { sendEmail } from './email-delivery.ts'
import type { IdentityDeps } from './deps.ts'
import { callerOf, personOf, personWithSecondFactor } from './requester.ts'
import * as schemas from './schema.ts'
import {
  beginEnrolment,
  confirmEnrolment,
  disableSecondFactor,
  regenerateBackupCodes,
} from './second-factor-commands.ts'
import type { SessionAnswer } from './session-answer.ts'
import { completeSignIn } from './sign-in-commands.ts'
import { withPasswordAndCode } from './verification-commands.ts'
import { RouteList } from '../http/route-list.ts'

/** Two-step sign-in. */
export function secondFactorRoutes(deps: IdentityDeps, answerSession: SessionAnswer): RouteList {
  const routes = new RouteList('/api/v1/auth/mfa')

  routes.post('/setup', async (ctx) => {
    await readBody(ctx, schemas.noFields)
    const { user, em } = await personOf(ctx)
    ctx.body = standardSuccess(await beginEnrolment(deps, em, user), ctx.state.requestId)
  })

  routes.post('/verify', async (ctx) => {
    const { mfaToken, code, session: keep } = await readBody(ctx, schemas.secondStep)
    if (mfaToken !== undefined) {
      const { em } = ctx.state
      const { user, session } = await completeSignIn(deps, em, { mfaToken, code }, callerOf(ctx))
      answerSession(ctx, session, { keep, user })
      return
    }
    if (!ctx.state.principal)
      throw validationError([fault(['mfaToken'], 'required', 'mfaToken is required without a JWT')])
    const { user, sessionId, caller, em } = await personOf(ctx)
    const backupCodes = await confirmEnrolment(deps, em, { userId: user.id, sessionId, code }, caller)
    if (!backupCodes) throw validationError([fault(['code'], 'wrong_code', 'code is wrong')])
    tellOfSecondFactor(deps, user, 'enabled')
    ctx.body = standardSuccess({ mfaEnabled: true, backupCodes }, ctx.state.requestId)
  })

  routes.post('/disable', async (ctx) => {
    const proof = await readBody(ctx, schemas.passwordAndCode)
    const { user, sessionId, caller, em } = await personWithSecondFactor(ctx)
    await withPasswordAndCode(deps, em, { user, sessionId, caller, proof }, (inner) =>
      disableSecondFactor(inner, user.id, sessionId, caller),
    )
    tellOfSecondFactor(deps, user, 'disabled')
    ctx.body = standardSuccess({ mfaEnabled: false }, ctx.state.requestId)
  })

  routes.post('/backup-codes/regenerate', async (ctx) => {
    const proof = await readBody(ctx, schemas.passwordAndCode)
    const { user, sessionId, caller, em } = await personWithSecondFactor(ctx)
    const backupCodes = await withPasswordAndCode(deps, em, { user, sessionId, caller, proof }, (inner) =>
      regenerateBackupCodes(inner, user.id, caller),
    )
    ctx.body = standardSuccess({ backupCodes }, ctx.state.requestId)
  })

  return routes
}

const tellOfSecondFactor = (deps: IdentityDeps, user: UserRecord, change: 'enabled' | 'disabled'): void =>
  deps.background.run('telling of two-step sign-in', () =>
    sendEmail(deps, deps.emailTemplates.secondFactorChanged(user.email, change)),
  )
