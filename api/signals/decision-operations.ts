import { z } from 'zod'
import { EXAMPLE_REQUEST_ID, exampleAnswer } from '../http/examples.ts'
import type { Answer, Operations } from '../http/operation.ts'
import { uuid } from '../http/validation/values.ts'
import { approvalRejectedAnswer, decidedAnswer, decidedLinesAnswer, type SignalAnswer } from './answers.ts'
import { approvalFields, bulkApprovalFields, bulkDeclineFields, declineFields } from './decision-schema.ts'
import {
  EXAMPLE_DECLINED,
  EXAMPLE_EXIT_CANCELLED,
  EXAMPLE_PENDING,
  EXAMPLE_SIGNAL,
  EXAMPLE_WITHDRAWN,
} from './examples.ts'

const path = z.strictObject({ id: uuid() })

const decided = (description: string, words: string, signal: SignalAnswer): Answer => ({
  description,
  schema: decidedAnswer,
  examples: { [words]: exampleAnswer({ signal }) },
})

const ONCE =
  'Of any number of people who decide at once, one decides and the others are told how it stands. A decision that is not ' +
  'confirmed in time is answered 503 `TEMPORAL_UNAVAILABLE`: sending it again is harmless.'

const PROOF =
  'For a live account, whose order is for real money, you have proven within the last five minutes who you are: by the ' +
  'sign-in or by POST /auth/verify; without it that approval is refused as `VERIFICATION_REQUIRED`.'

const SEVERAL =
  'Up to a hundred signals, each with an outcome of its own; the answer is 200 whatever they are.'

const lines = (words: string, signal: SignalAnswer): Answer => ({
  description: 'What came of each',
  schema: decidedLinesAnswer,
  examples: {
    [words]: exampleAnswer({
      results: [
        { id: signal.id, success: true, signal },
        {
          id: '5d4e3f2a-1b0c-4d9e-8f7a-6b5c4d3e2f1a',
          success: false,
          code: 'SIGNAL_NOT_FOUND',
          error: 'There is no such signal',
        },
      ],
    }),
  },
})

const executed: SignalAnswer = { ...EXAMPLE_SIGNAL, id: EXAMPLE_PENDING.id, executeMode: 'pending' }

/** The routes by which a stored signal is decided on, for the description of the API. */
export const decisionOperations: Operations = {
  'POST /api/v1/signals/:id/process': {
    tag: 'Signals',
    summary: 'Approve a pending signal',
    description: `Everything is checked again at this moment: expiry, mode, limits, session. Quantity and limit price may be changed, by the rules that held when the signal was sent. ${PROOF} ${ONCE}`,
    path,
    body: {
      schema: z.strictObject(approvalFields),
      optional: true,
      examples: { 'as it is': {}, 'fewer, at another price': { quantity: 5, limitPrice: 186.9 } },
    },
    answers: {
      200: decided('The broker accepted the order', 'executed', executed),
      202: decided('Approved; how the order went is not known yet', 'on its way', {
        ...EXAMPLE_PENDING,
        status: 'queued',
      }),
      422: {
        description: 'Approved, and refused or not sent: `code` says why',
        schema: approvalRejectedAnswer,
        examples: {
          'too little money': {
            error: 'insufficient buying power',
            code: 'INSUFFICIENT_FUNDS',
            details: [
              {
                code: 'INSUFFICIENT_FUNDS',
                message: 'insufficient buying power',
                signalId: EXAMPLE_PENDING.id,
                status: 'rejected',
              },
            ],
            requestId: EXAMPLE_REQUEST_ID,
          },
        },
      },
    },
    errors: ['SIGNAL_NOT_FOUND', 'SIGNAL_NOT_PENDING', 'VERIFICATION_REQUIRED', 'TEMPORAL_UNAVAILABLE'],
  },
  'POST /api/v1/signals/:id/reject': {
    tag: 'Signals',
    summary: 'Decline a pending signal',
    description: ONCE,
    path,
    body: {
      schema: z.strictObject(declineFields),
      optional: true,
      examples: { 'with a reason': { reason: 'not before the figures' }, 'without one': {} },
    },
    answers: { 200: decided('Declined; no order is sent', 'declined', EXAMPLE_DECLINED) },
    errors: ['SIGNAL_NOT_FOUND', 'SIGNAL_NOT_PENDING', 'TEMPORAL_UNAVAILABLE'],
  },
  'POST /api/v1/signals/process': {
    tag: 'Signals',
    summary: 'Approve several pending signals',
    description: `${SEVERAL} ${PROOF}`,
    body: { schema: z.strictObject(bulkApprovalFields), examples: { two: { ids: [EXAMPLE_PENDING.id] } } },
    answers: { 200: lines('one executed, one not found', executed) },
    errors: [],
  },
  'POST /api/v1/signals/reject': {
    tag: 'Signals',
    summary: 'Decline several pending signals',
    description: SEVERAL,
    body: {
      schema: z.strictObject(bulkDeclineFields),
      examples: { 'with a reason': { ids: [EXAMPLE_PENDING.id], reason: 'market closed early' } },
    },
    answers: { 200: lines('one declined, one not found', EXAMPLE_DECLINED) },
    errors: [],
  },
  'DELETE /api/v1/signals/:id': {
    tag: 'Signals',
    summary: 'Withdraw a signal before its order is sent',
    description: `Takes pending, scheduled and queued signals. Once it is decided that the order goes out it is too late (\`SIGNAL_NOT_CANCELLABLE\`). ${ONCE}`,
    path,
    answers: { 200: decided('Withdrawn; no order is sent', 'withdrawn', EXAMPLE_WITHDRAWN) },
    errors: ['SIGNAL_NOT_FOUND', 'SIGNAL_NOT_CANCELLABLE', 'TEMPORAL_UNAVAILABLE'],
  },
  'DELETE /api/v1/signals/:id/exit': {
    tag: 'Signals',
    summary: 'Cancel the exit of an executed signal before it is sent',
    description: `The position stays, and nobody closes it any more. ${ONCE}`,
    path,
    answers: { 200: decided('The exit is cancelled', 'exit cancelled', EXAMPLE_EXIT_CANCELLED) },
    errors: ['SIGNAL_NOT_FOUND', 'EXIT_NOT_CANCELLABLE', 'TEMPORAL_UNAVAILABLE'],
  },
}
