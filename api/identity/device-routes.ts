import { findPendingDeviceGrant } from '#db/identity/device-grants.ts'
import { anyone, inPerson } from '../access/policy.ts'
import { ApiError } from '#contract/errors.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { route } from '../route/route.ts'
import type { IdentityDeps, SessionDeps } from './deps.ts'
import {
  beginDeviceGrant,
  decideDevice,
  redeemDeviceGrant,
  signInDesktop,
  type SignedInDevice,
} from './device-commands.ts'
import { presentUser } from './record.ts'
import { deviceEndpoints } from '#contract/identity/device-endpoints.ts'

export const deviceRoutes = [
  route(deviceEndpoints['POST /api/v1/auth/desktop-login'], {
    access: anyone('auth'),
    deadline: 'within',
    run: async ({ em, caller, body, http }, deps: SessionDeps) => {
      const device = await signInDesktop(deps, em, body, caller)
      deps.rememberDevice(deps.cookieDoor.jarOf(http), device.user)
      return presentDevice(device)
    },
  }),
  route(deviceEndpoints['POST /api/v1/auth/device-login'], {
    access: anyone('auth'),
    run: async ({ em, caller, body: { deviceName } }, { settings }: IdentityDeps) => {
      const grant = await beginDeviceGrant(em, deviceName, caller)
      const verificationUri = `${settings.PUBLIC_URL}/device`
      const verificationUriComplete = `${verificationUri}?code=${grant.userCode}`
      return { ...grant, verificationUri, verificationUriComplete }
    },
  }),
  route(deviceEndpoints['POST /api/v1/auth/device-login/token'], {
    access: anyone('default'),
    // A session is handed out only once, so the answer may come late.
    deadline: 'within',
    run: async ({ em, caller, body: { deviceCode } }) =>
      presentDevice(await redeemDeviceGrant(em, deviceCode, caller)),
  }),
  route(deviceEndpoints['GET /api/v1/auth/device-login/:userCode'], {
    access: inPerson(),
    run: async ({ em, path }) => {
      const grant = await findPendingDeviceGrant(em, path.userCode)
      if (!grant) throw new ApiError('DEVICE_CODE_NOT_FOUND')
      const { userCode, deviceName, ip, createdAt } = grant
      return { device: { userCode, deviceName, ip, createdAt: toIsoInstant(createdAt) } }
    },
  }),
  route(deviceEndpoints['POST /api/v1/auth/device-login/:userCode/approve'], {
    access: inPerson({ fresh: true }),
    run: async ({ em, me: { userId, sessionId }, caller, path }) => {
      await decideDevice(em, { ...path, userId, sessionId, isApproved: true }, caller)
      return { message: 'The device is signed in' }
    },
  }),
  route(deviceEndpoints['POST /api/v1/auth/device-login/:userCode/deny'], {
    access: inPerson(),
    run: async ({ em, me: { userId, sessionId }, caller, path }) => {
      await decideDevice(em, { ...path, userId, sessionId, isApproved: false }, caller)
      return { message: 'The device was refused' }
    },
  }),
]

const presentDevice = ({ user, token, expiresAt }: SignedInDevice) => ({
  token,
  expiresAt: toIsoInstant(expiresAt),
  user: presentUser(user),
})
