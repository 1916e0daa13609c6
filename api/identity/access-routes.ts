import { findPendingDeviceGrant } from '#db/identity/device-grants.ts'
import { anyone, inPerson, requireFreshProof } from '../access/policy.ts'
import { ApiError } from '#contract/errors.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { route, listRoute } from '../route/route.ts'
import type { IdentityDeps, SessionDeps } from './deps.ts'
import {
  beginDeviceGrant,
  decideDevice,
  redeemDeviceGrant,
  signInDesktop,
  type SignedInDevice,
} from './devices.ts'
import {
  presentUser,
  ownUser,
  presentAuditEvent,
  presentSessions,
  presentBounds,
  presentToken,
} from './present.ts'
import { deviceEndpoints, ownAccountEndpoints } from '#contract/identity/access.ts'
import { tokenEndpoints, REVOKED } from '#contract/identity/tokens.ts'
import { AUDIT_ORDER, listAuditEvents } from '#db/identity/audit-log.ts'
import { countBackupCodes } from '#db/identity/second-factor.ts'
import { listSessions } from '#db/identity/sessions.ts'
import { endOwnSessions } from './sessions.ts'
import { listTokens, TOKEN_ORDER } from '#db/identity/token-management.ts'
import { UNBOUNDED } from '#domain/risk/token-bounds.ts'
import type { SignalDeps } from '../signal/own-signal.ts'
import { changeToken, createToken, revokeOwnToken } from './tokens.ts'
import { wordsOfRevoking } from '#contract/identity/requests.ts'

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
    // A session is given only once.
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

export const ownAccountRoutes = [
  route(ownAccountEndpoints['GET /api/v1/me'], {
    access: inPerson(),
    run: async ({ em, caller }) => {
      const user = await ownUser(caller)
      return { user: { ...presentUser(user), backupCodesLeft: await countBackupCodes(em, user.id) } }
    },
  }),
  listRoute(ownAccountEndpoints['GET /api/v1/audit-log'], {
    access: inPerson(),
    list: { order: AUDIT_ORDER, rows: 'events', present: presentAuditEvent },
    run: ({ em, me, page }) => listAuditEvents(em, me.userId, page),
  }),
  route(ownAccountEndpoints['GET /api/v1/sessions'], {
    access: inPerson(),
    run: async ({ em, me }) => presentSessions(await listSessions(em, me.userId), me.sessionId),
  }),
  route(ownAccountEndpoints['DELETE /api/v1/sessions'], {
    access: inPerson(),
    run: async ({ me, caller }) => ({
      ended: await endOwnSessions(caller, { except: me.sessionId }),
    }),
  }),
  route(ownAccountEndpoints['DELETE /api/v1/sessions/:sessionId'], {
    access: inPerson(),
    run: async ({ caller, path }) => {
      const ended = await endOwnSessions(caller, { only: path.sessionId })
      if (ended === 0) throw new ApiError('SESSION_NOT_FOUND')
      return { ended }
    },
  }),
]

export const tokenRoutes = [
  listRoute(tokenEndpoints['GET /api/v1/tokens'], {
    access: inPerson(),
    list: { order: TOKEN_ORDER, rows: 'tokens', present: presentToken },
    run: ({ em, me, page }) => listTokens(em, me.userId, page),
  }),
  route(tokenEndpoints['POST /api/v1/tokens'], {
    access: inPerson({ fresh: true }),
    run: async ({ em, me, caller, body }) => {
      const { label, scopes, bounds = UNBOUNDED, mergesRepeats, expiresAt: asked = null } = body
      const wanted = { label, scopes, bounds, mergesRepeats, expiresAt: asked }
      const { createdAt, expiresAt, ...created } = await createToken(em, me.userId, wanted, caller)
      return {
        label,
        scopes,
        bounds: presentBounds(bounds),
        mergesRepeats,
        ...created,
        createdAt: toIsoInstant(createdAt),
        expiresAt: toIsoInstant(expiresAt),
      }
    },
  }),
  route(tokenEndpoints['PATCH /api/v1/tokens/:tokenId'], {
    access: inPerson(),
    run: async ({ em, me, caller, path: { tokenId: id }, body }) => {
      if (!body.mergesRepeats) requireFreshProof(me)
      await changeToken(em, me.userId, id, body, caller)
      return { id, mergesRepeats: body.mergesRepeats }
    },
  }),
  route(tokenEndpoints['DELETE /api/v1/tokens/:tokenId'], {
    access: inPerson(),
    deadline: 'within',
    run: async ({ caller, path, query }, deps: SignalDeps) => {
      const signals = await revokeOwnToken(deps, caller, path.tokenId, query.signals)
      return { message: wordsOfRevoking(REVOKED, query.signals, signals), signals }
    },
  }),
]
