import { exampleAnswer } from '../http/examples.ts'
import type { UserAnswer } from './answers.ts'

export const EXAMPLE_USER: UserAnswer = {
  id: 'a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d',
  email: 'ada@example.com',
  role: 'member',
  plan: 'PRO',
  tradingMode: 'PAPER',
  mfaEnabled: false,
  createdAt: '2026-01-15T09:00:00.000Z',
}

export const EXAMPLE_PASSWORD = 'marmalade over the northern pier'

/** What somebody gets who has signed in. */
export const EXAMPLE_SIGNED_IN = exampleAnswer({
  accessToken:
    'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6ImsxIn0.eyJzdWIiOiJhMWIyYzNkNCJ9.c2lnbmF0dXJl',
  expiresIn: 900,
  refreshToken: 'k3Jd8s0QpZrT5vYx2BnMfHcLwEaUiGo7',
  user: EXAMPLE_USER,
})
