import { z } from 'zod'
import { pagingAnswer } from '../values/query.ts'
import { SCOPES } from '#domain/risk/token-bounds.ts'
import { MERGES_REPEATS } from './requests.ts'
import { EXAMPLE_REQUEST_ID } from '../envelopes.ts'

const instant = () => z.iso.datetime()

export const userAnswer = z
  .strictObject({
    id: z.uuid(),
    email: z.string(),
    role: z.enum(['admin', 'member']),
    plan: z.enum(['FREE', 'BASIC', 'ADVANCED', 'PRO']),
    tradingMode: z.enum(['PAPER', 'LIVE']),
    mfaEnabled: z.boolean().describe('Signs in by two steps'),
    createdAt: instant(),
  })
  .meta({ id: 'User' })

export const namedUserAnswer = z.strictObject({ user: userAnswer })
export const ownUserAnswer = z.strictObject({
  user: z.strictObject({ ...userAnswer.shape, backupCodesLeft: z.int() }),
})

export const messageAnswer = z.strictObject({ message: z.string() })

export const signedInAnswer = z
  .strictObject({
    accessToken: z.string().describe('A JWT'),
    expiresIn: z.int().describe('Seconds'),
    refreshToken: z.string().exactOptional().describe('Absent where it is kept in a cookie'),
    renewalKey: z
      .string()
      .exactOptional()
      .describe(
        'The second half of a session in a cookie, for the header `Renewal-Key` of its renewals and its end; shown once, by the sign-in',
      ),
    user: userAnswer.exactOptional().describe('Absent after a refresh'),
  })
  .meta({ id: 'SignedIn' })

export const firstStepAnswer = z.union([
  signedInAnswer,
  z.strictObject({
    mfaRequired: z.literal(true),
    mfaToken: z.string().describe('For `POST /api/v1/auth/mfa/verify`, within five minutes'),
  }),
])

const backupCodes = z.array(z.string()).describe('Shown this once')
const enrolled = z.strictObject({ mfaEnabled: z.literal(true), backupCodes })

export const enrolmentAnswer = z.strictObject({
  secret: z.string(),
  uri: z.string().describe('The same as an address, for a QR code'),
})
export const secondStepAnswer = z.union([signedInAnswer, enrolled])
export const secondFactorOffAnswer = z.strictObject({ mfaEnabled: z.literal(false) })
export const backupCodesAnswer = z.strictObject({ backupCodes })

export const signedInDeviceAnswer = z.strictObject({
  token: z.string().describe('Shown this once'),
  expiresAt: instant(),
  user: userAnswer,
})
export const deviceGrantAnswer = z.strictObject({
  deviceCode: z.string().describe('What the device asks with'),
  userCode: z.string().describe('What the person types'),
  expiresIn: z.int().describe('Seconds'),
  interval: z.int().describe('Seconds to wait between two questions'),
  verificationUri: z.string(),
  verificationUriComplete: z.string(),
})
export const waitingDeviceAnswer = z.strictObject({
  device: z.strictObject({
    userCode: z.string(),
    deviceName: z.string(),
    ip: z.string(),
    createdAt: instant(),
  }),
})

const tokenBoundsAnswer = z
  .strictObject({
    pendingOnly: z.literal(true).exactOptional(),
    accountIds: z.array(z.uuid()).exactOptional(),
    symbols: z.array(z.string()).exactOptional(),
    maxOrderValue: z.number().describe('Dollars').exactOptional(),
    ownSignalsOnly: z.literal(true).exactOptional(),
  })
  .describe('What it is bound to; empty for a token without bounds')

export const tokenAnswer = z
  .strictObject({
    id: z.uuid(),
    kind: z.enum(['access', 'legacy', 'desktop']),
    label: z.string(),
    prefix: z.string().describe('The beginning of its text'),
    scopes: z.array(z.string()),
    bounds: tokenBoundsAnswer,
    mergesRepeats: z.boolean().describe(MERGES_REPEATS),
    createdAt: instant(),
    expiresAt: instant().nullable(),
    lastUsedAt: instant().nullable(),
    lastRefusal: z
      .strictObject({ at: instant(), code: z.string(), message: z.string() })
      .nullable()
      .describe(
        'The last request for a signal that was refused, other than a dry run; of many in a row it may be some seconds old',
      ),
    isExpired: z.boolean(),
    isReadOnly: z.boolean().describe("A desktop's token: it ends with its session"),
    waitingSignals: z
      .int()
      .describe('Signals that it has sent, that wait to be sent, and that no person has approved'),
  })
  .meta({ id: 'AccessToken' })
export const tokenListAnswer = z.strictObject({ tokens: z.array(tokenAnswer), ...pagingAnswer })
export const revokedTokenAnswer = z.strictObject({
  message: z.string(),
  signals: z.strictObject({
    waiting: z.int().describe('Signals of it that wait now: kept, or yet to be withdrawn'),
    withdrawn: z.int().describe('Signals of it that were withdrawn'),
  }),
})
export const changedTokenAnswer = z.strictObject({
  id: z.uuid(),
  mergesRepeats: z.boolean().describe(MERGES_REPEATS),
})
export const createdTokenAnswer = z.strictObject({
  id: z.uuid(),
  label: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  bounds: tokenBoundsAnswer,
  mergesRepeats: z.boolean().describe(MERGES_REPEATS),
  prefix: z.string(),
  createdAt: instant(),
  expiresAt: instant(),
  token: z.string().describe('Shown this once'),
})

export const sessionItemAnswer = z
  .strictObject({
    id: z.uuid(),
    kind: z.enum(['web', 'desktop']),
    name: z.string().describe("The browser's or device's name, as it gave it"),
    ip: z.string(),
    createdAt: instant(),
    lastUsedAt: instant(),
    expiresAt: instant(),
    isCurrent: z.boolean().describe('The session that asks'),
  })
  .meta({ id: 'Session' })
export const sessionListAnswer = z.strictObject({
  sessions: z.array(sessionItemAnswer),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
})
export const endedSessionsAnswer = z.strictObject({ ended: z.int().describe('How many') })

export const auditEventAnswer = z
  .strictObject({
    id: z.string(),
    kind: z.string().describe('Such as `sign_in.failed`'),
    at: instant(),
    actorId: z.uuid().nullable().describe('Who did it; null for the service itself or an unknown person'),
    ip: z.string().nullable(),
    requestId: z.string().nullable(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditEvent' })
export const auditLogAnswer = z.strictObject({ events: z.array(auditEventAnswer), ...pagingAnswer })

export type UserAnswer = z.output<typeof userAnswer>
export type TokenBoundsAnswer = z.output<typeof tokenBoundsAnswer>
export type TokenAnswer = z.output<typeof tokenAnswer>
export type SessionItemAnswer = z.output<typeof sessionItemAnswer>
export type AuditEventAnswer = z.output<typeof auditEventAnswer>
export type SignedInAnswer = z.output<typeof signedInAnswer>

export const EXAMPLE_USER: UserAnswer = {
  id: 'a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d',
  email: 'ada@example.com',
  role: 'member',
  plan: 'PRO',
  tradingMode: 'PAPER',
  mfaEnabled: false,
  createdAt: '2026-01-15T09:00:00.000Z',
}

export const EXAMPLE_RANDOM_TEXT = 'Vt4mZ2kQ9sXbR7cJ'

export const EXAMPLE_PASSWORD = 'marmalade over the northern pier'

export const EXAMPLE_SIGNED_IN = {
  accessToken:
    'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6ImsxIn0.eyJzdWIiOiJhMWIyYzNkNCJ9.c2lnbmF0dXJl',
  expiresIn: 900,
  refreshToken: 'k3Jd8s0QpZrT5vYx2BnMfHcLwEaUiGo7',
  user: EXAMPLE_USER,
}

const { refreshToken: _, ...inBrowser } = EXAMPLE_SIGNED_IN
export const EXAMPLE_SIGNED_IN_BROWSER = { ...inBrowser, renewalKey: 'Zr1wQm7LxT0cVb4NdKs9HyJpEuAoGi2f' }

export const EXAMPLE_SESSION: SessionItemAnswer = {
  id: '0f1e2d3c-4b5a-4697-8878-695a4b3c2d1e',
  kind: 'web',
  name: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/148.0',
  ip: '192.0.2.7',
  createdAt: '2026-03-02T14:00:00.000Z',
  lastUsedAt: '2026-03-02T15:00:00.000Z',
  expiresAt: '2026-04-01T14:00:00.000Z',
  isCurrent: true,
}

export const EXAMPLE_AUDIT_EVENT: AuditEventAnswer = {
  id: '4711',
  kind: 'sign_in.succeeded',
  at: '2026-03-02T14:00:00.000Z',
  actorId: EXAMPLE_USER.id,
  ip: '192.0.2.7',
  requestId: EXAMPLE_REQUEST_ID,
  data: { sessionId: EXAMPLE_SESSION.id },
}
