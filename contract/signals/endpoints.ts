import { endpoints, idOf } from '../endpoint.ts'
import { z } from 'zod'
import { createdGroupAnswer, groupDryRunAnswer } from '../groups/answers.ts'
import { readSending, sendingFields } from '../groups/schema.ts'
import { EXAMPLE_REQUEST_ID, examplePaging } from '../examples.ts'
import { pagingAnswer } from '../values/query.ts'
import type { JsonObject } from '../values/fields.ts'
import {
  createdAnswer,
  rejectedAnswer,
  signalAnswer,
  signalDetailAnswer,
  signalEventAnswer,
  signalSourceAnswer,
} from './answers.ts'
import { dryRunAnswer } from './dry-run-answers.ts'
import { CREATION } from './creation-words.ts'
import { EXAMPLE_DETAIL, EXAMPLE_PENDING, EXAMPLE_SIGNAL, SIGNAL_BODIES } from './examples.ts'
import { signalEventsQuery, signalListQuery } from './list-schema.ts'
import { SIGNAL_WRITER } from './schema.ts'

const { id, orderId } = EXAMPLE_SIGNAL

const standing = { id, status: 'executed', executeMode: 'immediate', orderId }

const terms = { symbol: 'AAPL', limitPrice: null, stopPrice: null, timeInForce: 'day', extendedHours: false }

const readSignal = (body: JsonObject, text: string) => ({ sending: readSending(body, Date.now()), text })

const signalPath = { id: idOf('SIGNAL_NOT_FOUND') }

export const signalEndpoints = endpoints({
  'POST /api/v1/signals': {
    tag: 'Signals',
    summary: 'Send a signal',
    description: CREATION,
    body: {
      schema: z.strictObject(sendingFields),
      writer: SIGNAL_WRITER,
      read: readSignal,
      isTextTaken: true,
      examples: SIGNAL_BODIES,
    },
    answers: {
      200: {
        description:
          'A living signal holds the sourceId, or is repeated by the choice of the token’s owner, and nothing was stored; or the outcome of a dry run',
        schema: z.union([createdAnswer, createdGroupAnswer, dryRunAnswer, groupDryRunAnswer]),
        examples: {
          'there already': {
            success: true,
            message:
              'A signal with sourceId "breakout-2026-03-02-1" exists already, with status executed; send replaceExisting=true to supersede it. The signal is of 2026-03-02T15:00:00.120Z: 10 shares of its order filled. Nothing was sent for this request. It cannot be superseded any more: send a new sourceId for a new trade',
            signal: standing,
            requestId: EXAMPLE_REQUEST_ID,
          },
          'a dry run': {
            success: true,
            message: 'Nothing was stored or sent. The order would be sent',
            dryRun: {
              outcome: 'ready',
              code: null,
              signalId: null,
              order: {
                clientOrderId: '<signal id>-e1',
                ...terms,
                side: 'BUY',
                quantity: 10,
                orderType: 'market',
              },
              follows: null,
              scheduledAt: null,
              session: {
                isOpen: true,
                nextOpen: '2026-03-03T14:30:00.000Z',
                nextClose: '2026-03-02T21:00:00.000Z',
              },
              exitAt: null,
              exitReason: null,
              waitsFor: [],
              verdicts: [{ rule: 'size', outcome: 'passed', message: '10 shares' }],
            },
            requestId: EXAMPLE_REQUEST_ID,
          },
        },
      },
      201: {
        description: 'The broker accepted the order, or the signal waits for a person',
        schema: z.union([createdAnswer, createdGroupAnswer]),
        examples: {
          executed: {
            success: true,
            message: 'The broker accepted the order',
            signal: standing,
            requestId: EXAMPLE_REQUEST_ID,
          },
          pending: {
            success: true,
            message: 'The signal is stored and waits for a person to approve it',
            signal: { id: EXAMPLE_PENDING.id, status: 'pending', executeMode: 'pending' },
            requestId: EXAMPLE_REQUEST_ID,
          },
        },
      },
      202: {
        description: 'Accepted for good; the order is sent at its time, or how it went is not known yet',
        schema: z.union([createdAnswer, createdGroupAnswer]),
        examples: {
          scheduled: {
            success: true,
            message: 'The signal is stored and its order is sent at 2026-12-01T15:15:00.000Z',
            signal: {
              id: EXAMPLE_PENDING.id,
              status: 'scheduled',
              executeMode: 'scheduled',
              scheduledAt: '2026-12-01T15:15:00.000Z',
            },
            requestId: EXAMPLE_REQUEST_ID,
          },
        },
      },
      400: {
        description: 'The signal was stored and came to nothing: `code` says why',
        schema: rejectedAnswer,
        examples: {
          'rejected by the broker': {
            success: false,
            error: 'The order needs $22,500 of buying power, and the account has $10,000',
            code: 'INSUFFICIENT_FUNDS',
            details: [
              {
                code: 'INSUFFICIENT_FUNDS',
                message: 'The order needs $22,500 of buying power, and the account has $10,000',
                signalId: EXAMPLE_SIGNAL.id,
                status: 'rejected',
              },
            ],
            requestId: EXAMPLE_REQUEST_ID,
          },
        },
      },
    },
    errors: [
      'STRATEGY_PAUSED',
      'REPLACE_REFUSED_FILLED',
      'ACCOUNT_NOT_FOUND',
      'STRATEGY_NOT_FOUND',
      'MODE_MISMATCH',
      'VERIFICATION_REQUIRED',
      'SOURCE_ID_CONTENDED',
      'WAITING_SIGNAL_LIMIT_REACHED',
      'BROKER_CREDENTIALS_INVALID',
      'BROKER_ERROR',
      'BROKER_SHARE_SPENT',
      'TOO_BUSY',
      'SERVICE_DISABLED',
      'TEMPORAL_UNAVAILABLE',
    ],
  },
  'GET /api/v1/signals': {
    tag: 'Signals',
    summary: 'List signals, the newest first or the soonest to expire',
    query: signalListQuery,
    answers: {
      200: {
        description: 'Signals of the caller that fit the filter',
        schema: z.strictObject({ signals: z.array(signalAnswer), ...pagingAnswer }),
        examples: { 'one signal': { signals: [EXAMPLE_SIGNAL], ...examplePaging(1) } },
      },
    },
    errors: [],
  },
  'GET /api/v1/signals/:id': {
    tag: 'Signals',
    summary: 'Show a signal, how it stands, and its exit',
    path: signalPath,
    answers: {
      200: {
        description: 'The signal',
        schema: signalDetailAnswer,
        examples: { 'executed, its exit planned': EXAMPLE_DETAIL },
      },
    },
    errors: ['SIGNAL_NOT_FOUND'],
  },
  'GET /api/v1/signals/:id/source': {
    tag: 'Signals',
    summary: 'Show the body that a signal came with',
    description: 'As it was sent, but for secrets, which are not kept. Copies of signals have none.',
    path: signalPath,
    answers: {
      200: {
        description: 'The body',
        schema: signalSourceAnswer,
        examples: {
          'sent by a script': {
            receivedAt: '2026-03-02T15:00:00.120Z',
            body: '{"symbol":"AAPL","action":"openLong","quantity":10}',
          },
        },
      },
    },
    errors: ['SIGNAL_NOT_FOUND'],
  },
  'GET /api/v1/signals/:id/events': {
    tag: 'Signals',
    summary: "Show a signal's timeline, from its beginning",
    description:
      'What happened, when and why: received, checked, sent, filled, its exit planned, sent and closed.',
    path: signalPath,
    query: signalEventsQuery,
    answers: {
      200: {
        description: 'The timeline',
        schema: z.strictObject({ events: z.array(signalEventAnswer), ...pagingAnswer }),
        examples: {
          'two steps': {
            events: [
              {
                kind: 'received',
                at: '2026-03-02T15:00:00.120Z',
                message: 'The signal was received: BUY 26 AAPL limit 187.5 (day)',
                data: { requestId: EXAMPLE_REQUEST_ID, tokenId: null },
              },
              {
                kind: 'acknowledged',
                at: '2026-03-02T15:00:00.640Z',
                message: 'The broker accepted the entry order: BUY 26 AAPL limit 187.5 (day)',
                data: null,
              },
            ],
            ...examplePaging(2),
            limit: 500,
          },
        },
      },
    },
    errors: ['SIGNAL_NOT_FOUND'],
  },
})
