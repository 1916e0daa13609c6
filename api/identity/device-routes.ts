import { findPendingDeviceGrant } from '#db/identity/device-grants.ts'
import { z } from 'zod'
import { anyone, inPerson } from '../access/policy.ts'
import { ApiError } from '../http/errors.ts'
import { toIsoInstant } from '../http/presentation.ts'
import { route } from '../route/route.ts'
import { deviceGrantAnswer, messageAnswer, signedInDeviceAnswer, waitingDeviceAnswer } from './answers.ts'
import type { IdentityDeps, SessionDeps } from './deps.ts'
import {
  beginDeviceGrant,
  decideDevice,
  redeemDeviceGrant,
  signInDesktop,
  type SignedInDevice,
} from './device-commands.ts'
import { EXAMPLE_PASSWORD, EXAMPLE_USER, EXAMPLE_RANDOM_TEXT } from './examples.ts'
import { presentUser } from './record.ts'
import * as schemas from './schema.ts'
import { userCode } from './user-code.ts'

const USER_CODE = 'WDJB-MJHT'
const codePath = { userCode: { schema: userCode(), absent: 'DEVICE_CODE_NOT_FOUND' } } as const

const signedIn = {
  description: 'The device is signed in',
  schema: signedInDeviceAnswer,
  examples: {
    'signed in': {
      token: 'dt_4nQ8sW1kZx7pR3vB6yT0mC9fJ2hL5gD8',
      expiresAt: '2027-03-02T15:00:00.000Z',
      user: EXAMPLE_USER,
    },
  },
}

const decided = (message: string) => ({
  description: message,
  schema: messageAnswer,
  examples: { decided: { message } },
})

export const deviceRoutes = [
  route({
    name: 'POST /api/v1/auth/desktop-login',
    access: anyone('auth'),
    tag: 'Devices',
    summary: 'Sign a desktop in by password',
    description: 'Its token reads, and neither trades nor changes anything. It ends with its session.',
    body: {
      schema: z.strictObject(schemas.desktopLogin),
      examples: {
        desktop: { email: EXAMPLE_USER.email, password: EXAMPLE_PASSWORD, deviceName: 'Desk by the window' },
      },
    },
    answers: { 200: signedIn },
    errors: ['UNAUTHENTICATED', 'MFA_REQUIRED', 'TOO_BUSY'],
    deadline: 'within',
    run: async ({ em, caller, body, http }, deps: SessionDeps) => {
      const device = await signInDesktop(deps, em, body, caller)
      deps.rememberDevice(deps.cookieDoor.jarOf(http), device.user)
      return presentDevice(device)
    },
  }),
  route({
    name: 'POST /api/v1/auth/device-login',
    access: anyone('auth'),
    tag: 'Devices',
    summary: 'Begin to sign a device in that has no place to type a password',
    description:
      'The device authorization grant (RFC 8628): the device shows a code, which a person confirms elsewhere.',
    body: {
      schema: z.strictObject(schemas.deviceLogin),
      examples: { device: { deviceName: 'Wall display' } },
    },
    answers: {
      200: {
        description: 'What the device shows, and what it asks with',
        schema: deviceGrantAnswer,
        examples: {
          begun: {
            deviceCode: EXAMPLE_RANDOM_TEXT,
            userCode: USER_CODE,
            expiresIn: 600,
            interval: 5,
            verificationUri: 'https://trader.example.com/device',
            verificationUriComplete: `https://trader.example.com/device?code=${USER_CODE}`,
          },
        },
      },
    },
    errors: [],
    run: async ({ em, caller, body: { deviceName } }, { settings }: IdentityDeps) => {
      const grant = await beginDeviceGrant(em, deviceName, caller)
      const verificationUri = `${settings.PUBLIC_URL}/device`
      const verificationUriComplete = `${verificationUri}?code=${grant.userCode}`
      return { ...grant, verificationUri, verificationUriComplete }
    },
  }),
  route({
    name: 'POST /api/v1/auth/device-login/token',
    access: anyone('default'),
    tag: 'Devices',
    summary: 'Ask whether the device has been confirmed',
    body: {
      schema: z.strictObject(schemas.devicePoll),
      examples: { poll: { deviceCode: EXAMPLE_RANDOM_TEXT } },
    },
    answers: { 200: signedIn },
    errors: ['AUTHORIZATION_PENDING', 'SLOW_DOWN', 'ACCESS_DENIED', 'EXPIRED_TOKEN'],
    // A session is handed out only once, so the answer may come late.
    deadline: 'within',
    run: async ({ em, caller, body: { deviceCode } }) =>
      presentDevice(await redeemDeviceGrant(em, deviceCode, caller)),
  }),
  route({
    name: 'GET /api/v1/auth/device-login/:userCode',
    access: inPerson(),
    tag: 'Devices',
    summary: 'Show the device that waits for a code',
    path: codePath,
    answers: {
      200: {
        description: 'The device, and from where it asks',
        schema: waitingDeviceAnswer,
        examples: {
          waiting: {
            device: {
              userCode: USER_CODE,
              deviceName: 'Wall display',
              ip: '192.0.2.7',
              createdAt: '2026-03-02T15:00:00.000Z',
            },
          },
        },
      },
    },
    errors: ['DEVICE_CODE_NOT_FOUND'],
    run: async ({ em, path }) => {
      const grant = await findPendingDeviceGrant(em, path.userCode)
      if (!grant) throw new ApiError('DEVICE_CODE_NOT_FOUND')
      const { userCode, deviceName, ip, createdAt } = grant
      return { device: { userCode, deviceName, ip, createdAt: toIsoInstant(createdAt) } }
    },
  }),
  route({
    name: 'POST /api/v1/auth/device-login/:userCode/approve',
    access: inPerson({ fresh: true }),
    tag: 'Devices',
    summary: 'Confirm a device',
    path: codePath,
    answers: { 200: decided('The device is signed in') },
    errors: ['DEVICE_CODE_NOT_FOUND'],
    run: async ({ em, me: { userId, sessionId }, caller, path }) => {
      await decideDevice(em, { ...path, userId, sessionId, isApproved: true }, caller)
      return { message: 'The device is signed in' }
    },
  }),
  route({
    name: 'POST /api/v1/auth/device-login/:userCode/deny',
    access: inPerson(),
    tag: 'Devices',
    summary: 'Refuse a device',
    path: codePath,
    answers: { 200: decided('The device was refused') },
    errors: ['DEVICE_CODE_NOT_FOUND'],
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
