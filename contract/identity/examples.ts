import { EXAMPLE_REQUEST_ID } from '../examples.ts'
import type { AuditEventAnswer, SessionItemAnswer, UserAnswer } from './answers.ts'

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
