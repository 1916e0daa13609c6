import { findPendingDeviceGrant } from '#db/identity/device-grants.ts'
import type { ApiContext } from '../http/context.ts'
import { standardSuccess } from '../http/envelopes.ts'
import { ApiError } from '../http/errors.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { readBody } from '../http/validation/request-body.ts'
import type { IdentityDeps } from './deps.ts'
import type { DeviceCookie } from './device-cookie.ts'
import {
  beginDeviceGrant,
  decideDevice,
  redeemDeviceGrant,
  signInDesktop,
  type SignedInDevice,
} from './device-commands.ts'
import { presentUser } from './record.ts'
import { callerOf, personOf } from './requester.ts'
import * as schemas from './schema.ts'
import { parseUserCode } from './user-code.ts'
import { RouteList } from '../http/route-list.ts'

/** Sign-in of devices. */
export function deviceRoutes(deps: IdentityDeps, rememberDevice: DeviceCookie): RouteList {
  const routes = new RouteList('/api/v1/auth')

  routes.post('/desktop-login', async (ctx) => {
    const body = await readBody(ctx, schemas.desktopLogin)
    const device = await signInDesktop(deps, ctx.state.em, body, callerOf(ctx))
    rememberDevice(ctx, device.user)
    answerDevice(ctx, device)
  })

  routes.post('/device-login', async (ctx) => {
    const { deviceName } = await readBody(ctx, schemas.deviceLogin)
    const grant = await beginDeviceGrant(ctx.state.em, deviceName, callerOf(ctx))
    const verificationUri = `${deps.settings.PUBLIC_URL}/device`
    const verificationUriComplete = `${verificationUri}?code=${grant.userCode}`
    ctx.body = standardSuccess({ ...grant, verificationUri, verificationUriComplete }, ctx.state.requestId)
  })

  routes.post('/device-login/token', async (ctx) => {
    const { deviceCode } = await readBody(ctx, schemas.devicePoll)
    answerDevice(ctx, await redeemDeviceGrant(ctx.state.em, deviceCode, callerOf(ctx)))
  })

  routes.get('/device-login/:userCode', async (ctx) => {
    const grant = await findPendingDeviceGrant(ctx.state.em, userCodeOf(ctx))
    if (!grant) throw new ApiError('DEVICE_CODE_NOT_FOUND')
    const { userCode, deviceName, ip, createdAt } = grant
    const device = { userCode, deviceName, ip, createdAt: toIsoInstant(createdAt) }
    ctx.body = standardSuccess({ device }, ctx.state.requestId)
  })

  routes.post('/device-login/:userCode/approve', async (ctx) => {
    await decide(ctx, true)
    ctx.body = standardSuccess({ message: 'The device is signed in' }, ctx.state.requestId)
  })

  routes.post('/device-login/:userCode/deny', async (ctx) => {
    await decide(ctx, false)
    ctx.body = standardSuccess({ message: 'The device was refused' }, ctx.state.requestId)
  })

  return routes
}

async function decide(ctx: ApiContext, isApproved: boolean): Promise<void> {
  const userCode = userCodeOf(ctx)
  await readBody(ctx, schemas.noFields)
  const { user, sessionId, caller, em } = await personOf(ctx)
  await decideDevice(em, { userCode, userId: user.id, sessionId, isApproved }, caller)
}

function userCodeOf(ctx: ApiContext): string {
  const code = parseUserCode(ctx.params['userCode'] ?? '')
  if (code === null) throw new ApiError('DEVICE_CODE_NOT_FOUND')
  return code
}

function answerDevice(ctx: ApiContext, { user, token, expiresAt }: SignedInDevice): void {
  const data = { token, expiresAt: toIsoInstant(expiresAt), user: presentUser(user) }
  ctx.body = standardSuccess(data, ctx.state.requestId)
}
