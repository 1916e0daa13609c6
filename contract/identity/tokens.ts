import { endpoints, idOf } from '../endpoint.ts'
import { z } from 'zod'
import { changedTokenAnswer, createdTokenAnswer, revokedTokenAnswer, tokenListAnswer } from './answers.ts'
import * as schemas from './requests.ts'
import { tokenListQuery, wordsOfRevoking, SIGNALS_OF_REVOKED, type RevokedSignals } from './requests.ts'
import { examplePaging } from '../envelopes.ts'
import { oneOf } from '../values/values.ts'

const BOUNDS = { pendingOnly: true, symbols: ['AAPL', 'MSFT'], maxOrderValue: 5000 } as const

const TOKEN = {
  id: 'e5d4c3b2-a190-4f8e-9d7c-6b5a49382716',
  label: 'TradingView',
  scopes: ['trading:read' as const, 'signals:write' as const],
  bounds: {},
  mergesRepeats: false,
  prefix: 'dt_4nQ8',
  createdAt: '2026-03-02T15:00:00.000Z',
  expiresAt: '2027-03-02T15:00:00.000Z',
}

export const REVOKED = 'The token is revoked'

const WITHDRAWN: RevokedSignals = { waiting: 0, withdrawn: 3 }

const KEPT_SIGNALS: RevokedSignals = { waiting: 3, withdrawn: 0 }

export const tokenEndpoints = endpoints({
  'GET /api/v1/tokens': {
    tag: 'Access tokens',
    summary: 'List your access tokens, the newest first',
    description: 'Never their texts. Tokens of desktops are shown too; they end with their sessions.',
    query: tokenListQuery,
    answers: {
      200: {
        description: 'Your tokens',
        schema: tokenListAnswer,
        examples: {
          one: {
            tokens: [
              {
                ...TOKEN,
                kind: 'access',
                lastUsedAt: '2026-03-02T15:05:00.000Z',
                lastRefusal: {
                  at: '2026-03-02T15:05:00.000Z',
                  code: 'VALIDATION_ERROR',
                  message: 'Validation failed: quantity: must be a number, such as 1000',
                },
                isExpired: false,
                isReadOnly: false,
                waitingSignals: 2,
              },
            ],
            ...examplePaging(1),
          },
        },
      },
    },
    errors: [],
  },
  'POST /api/v1/tokens': {
    tag: 'Access tokens',
    summary: 'Make an access token',
    description:
      'Its text is in this answer and never shown again. It expires after a year, or at `expiresAt`, which is at most 366 days from now. `bounds` hold it to less than its scopes allow: a request that exceeds one is refused (`TOKEN_BOUNDS_EXCEEDED`), and they are judged again right before an order that opens a position is sent. They never change: make another token to widen them. What only reads is not bounded.',
    body: {
      schema: z.strictObject(schemas.tokenCreation),
      examples: {
        'for alerts': { label: TOKEN.label, scopes: TOKEN.scopes },
        'that a person checks': { label: TOKEN.label, scopes: TOKEN.scopes, bounds: BOUNDS },
        'for a month': { label: 'trial', scopes: ['trading:read'], expiresAt: '2030-01-31T00:00:00Z' },
      },
    },
    answers: {
      201: {
        description: 'The token',
        schema: createdTokenAnswer,
        examples: { created: { ...TOKEN, token: 'dt_4nQ8sW1kZx7pR3vB6yT0mC9fJ2hL5gD8' } },
      },
    },
    errors: ['CONNECTED_APP_LIMIT_REACHED'],
  },
  'PATCH /api/v1/tokens/:tokenId': {
    tag: 'Access tokens',
    summary: 'Change how signals of an access token are taken',
    description:
      'Whether equal bodies without `sourceId` within 30 seconds are one signal. For senders that repeat what was not answered and cannot send a `sourceId`. From the next request on. That each is one of its own asks for a proof of the last five minutes of who you are.',
    path: { tokenId: idOf('TOKEN_NOT_FOUND') },
    body: { schema: z.strictObject(schemas.tokenChange), examples: { once: { mergesRepeats: true } } },
    answers: {
      200: {
        description: 'Changed',
        schema: changedTokenAnswer,
        examples: { changed: { id: TOKEN.id, mergesRepeats: true } },
      },
    },
    errors: ['TOKEN_NOT_FOUND', 'VERIFICATION_REQUIRED'],
  },
  'DELETE /api/v1/tokens/:tokenId': {
    tag: 'Access tokens',
    summary: 'Revoke an access token',
    description:
      'With the next request it is refused, and nothing that it has sent opens a position any more. Its signals that wait (pending, scheduled or queued, and approved by no person) are withdrawn; those that the answer does not wait for are withdrawn a moment later. With `signals=keep` they stay on record: a person can approve pending ones, closing ones are sent at their time, and opening ones end at their time as rejected (`SENDER_REVOKED`). Exits of executed signals stay in any case. It cannot be undone.',
    path: { tokenId: idOf('TOKEN_NOT_FOUND') },
    query: z.strictObject({
      signals: oneOf(SIGNALS_OF_REVOKED)
        .describe('What becomes of signals that it has sent and that wait')
        .default('withdraw'),
    }),
    answers: {
      200: {
        description: 'Revoked',
        schema: revokedTokenAnswer,
        examples: {
          revoked: {
            message: wordsOfRevoking(REVOKED, 'withdraw', WITHDRAWN),
            signals: WITHDRAWN,
          },
          kept: {
            message: wordsOfRevoking(REVOKED, 'keep', KEPT_SIGNALS),
            signals: KEPT_SIGNALS,
          },
        },
      },
    },
    errors: ['TOKEN_NOT_FOUND'],
  },
})
