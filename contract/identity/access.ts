import { endpoints, idOf } from '../endpoint.ts'
import { z } from 'zod'
import {
  deviceGrantAnswer,
  messageAnswer,
  signedInDeviceAnswer,
  waitingDeviceAnswer,
  EXAMPLE_PASSWORD,
  EXAMPLE_USER,
  EXAMPLE_RANDOM_TEXT,
  auditLogAnswer,
  endedSessionsAnswer,
  ownUserAnswer,
  sessionListAnswer,
  EXAMPLE_AUDIT_EVENT,
  EXAMPLE_SESSION,
} from './answers.ts'
import * as schemas from './requests.ts'
import { userCode, auditLogQuery } from './requests.ts'
import { examplePaging } from '../envelopes.ts'

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

export const deviceEndpoints = endpoints({
  'POST /api/v1/auth/desktop-login': {
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
  },
  'POST /api/v1/auth/device-login': {
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
  },
  'POST /api/v1/auth/device-login/token': {
    tag: 'Devices',
    summary: 'Ask whether the device has been confirmed',
    body: {
      schema: z.strictObject(schemas.devicePoll),
      examples: { poll: { deviceCode: EXAMPLE_RANDOM_TEXT } },
    },
    answers: { 200: signedIn },
    errors: ['AUTHORIZATION_PENDING', 'SLOW_DOWN', 'ACCESS_DENIED', 'EXPIRED_TOKEN'],
  },
  'GET /api/v1/auth/device-login/:userCode': {
    tag: 'Devices',
    summary: 'Get the device that waits for a code',
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
  },
  'POST /api/v1/auth/device-login/:userCode/approve': {
    tag: 'Devices',
    summary: 'Confirm a device',
    path: codePath,
    answers: { 200: decided('The device is signed in') },
    errors: ['DEVICE_CODE_NOT_FOUND'],
  },
  'POST /api/v1/auth/device-login/:userCode/deny': {
    tag: 'Devices',
    summary: 'Refuse a device',
    path: codePath,
    answers: { 200: decided('The device was refused') },
    errors: ['DEVICE_CODE_NOT_FOUND'],
  },
})

const ended = (description: string, count: number) => ({
  description,
  schema: endedSessionsAnswer,
  examples: { ended: { ended: count } },
})

export const ownAccountEndpoints = endpoints({
  'GET /api/v1/me': {
    tag: 'Own account',
    summary: 'Get your own user',
    answers: {
      200: {
        description: 'You',
        schema: ownUserAnswer,
        examples: { 'a member': { user: { ...EXAMPLE_USER, backupCodesLeft: 0 } } },
      },
    },
    errors: [],
  },
  'GET /api/v1/audit-log': {
    tag: 'Own account',
    summary: 'List what was done in your name, the newest first',
    query: auditLogQuery,
    answers: {
      200: {
        description: 'Entries of the log, which can only be added to',
        schema: auditLogAnswer,
        examples: { 'a sign-in': { events: [EXAMPLE_AUDIT_EVENT], ...examplePaging(1) } },
      },
    },
    errors: [],
  },
  'GET /api/v1/sessions': {
    tag: 'Own account',
    summary: 'List where you are signed in',
    answers: {
      200: {
        description: 'All sessions, of browsers and devices',
        schema: sessionListAnswer,
        examples: { one: { sessions: [EXAMPLE_SESSION], total: 1, limit: 1, offset: 0 } },
      },
    },
    errors: [],
  },
  'DELETE /api/v1/sessions': {
    tag: 'Own account',
    summary: 'End all your other sessions',
    answers: { 200: ended('How many were ended', 2) },
    errors: [],
  },
  'DELETE /api/v1/sessions/:sessionId': {
    tag: 'Own account',
    summary: 'End a session',
    path: { sessionId: idOf('SESSION_NOT_FOUND') },
    answers: { 200: ended('It was ended', 1) },
    errors: ['SESSION_NOT_FOUND'],
  },
})
