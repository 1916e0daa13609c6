import { endpoints, idOf } from '../endpoint.ts'
import { z } from 'zod'
import { hookPath } from './endpoints.ts'
import { examplePaging } from '../envelopes.ts'
import {
  namedRequestAnswer,
  requestListAnswer,
  trialAnswer,
  type WholeHookRequestAnswer,
  EXAMPLE_REQUEST,
  EXAMPLE_TEST_REQUEST,
  EXAMPLE_TRIAL,
  EXAMPLE_WHOLE_REQUEST,
} from './answers.ts'
import { againMessage, requestListQuery, trialMessage } from './requests.ts'

const HOW_TAKEN = `Any text of the sender is accepted: JSON or not, with any content type, of at most 16 KiB and 200 fields in an
object. It is kept before it is understood, so that it can be looked at, tried and sent again under
\`GET /api/v1/hooks/:hookId/requests\`. What is answered 5xx is not kept and has no effect: send it again. The same alert is carried
out once, however often it comes: by the name that it has, or else by its content and the time in it, or within 30 seconds where it
has none.`

const receiving = {
  tag: 'Hooks',
  answers: {
    200: {
      description: 'Taken; or nothing is to do; or it came before. In the form of the hook’s kind of sender',
      schema: z.looseObject({}),
      examples: {
        accepted: {
          success: true,
          message: 'The signal is accepted',
          requestId: '3f2b1c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
        },
      },
    },
    400: {
      description: 'Refused, each fault with its mend. In the form of the hook’s kind of sender',
      schema: z.looseObject({}),
      examples: {
        refused: {
          success: false,
          error:
            'quantity is required: the message says none. Send it, or set a size in the settings of the hook',
          code: 'VALIDATION_ERROR',
          details: [],
          requestId: '3f2b1c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
        },
      },
    },
  },
  errors: [
    'HOOK_REFUSED',
    'HOOK_ADDRESS_REFUSED',
    'HOOK_RATE_EXCEEDED',
    'SERVICE_DISABLED',
    'PAYLOAD_TOO_LARGE',
    'TOO_MANY_AT_ONCE',
    'TOO_BUSY',
  ],
  body: {
    schema: z.looseObject({}),
    isAnyText: true,
    isTextTaken: true,
    read: (_: unknown, text: string) => text,
    examples: {
      'a TradingView strategy': {
        ticker: 'AAPL',
        action: 'buy',
        market_position: 'long',
        market_position_size: '10',
        timenow: '2026-03-02T15:00:00Z',
      },
    },
  },
} as const

export const intakeEndpoints = endpoints({
  'POST /hooks/:hookId/:secret': {
    summary: 'Send a message to a hook',
    description: `${HOW_TAKEN}\n\nThe secret is the end of the address, for senders that can set no header.`,
    path: { hookId: idOf('HOOK_REFUSED'), secret: { schema: z.string() } },
    tag: receiving.tag,
    answers: receiving.answers,
    errors: receiving.errors,
    body: receiving.body,
  },
  'POST /hooks/:hookId': {
    summary: 'Send a signed message to a hook',
    description: `${HOW_TAKEN}\n\n\`X-Hook-Timestamp\` has the seconds since 1970, at most 5 minutes off; \`X-Hook-Signature\` has \`sha256=\` and the HMAC-SHA256 of timestamp, "." and body under the hook's signing key, in hex.`,
    path: { hookId: idOf('HOOK_REFUSED') },
    headers: z.object({
      'X-Hook-Timestamp': z.string().describe('Seconds since 1970'),
      'X-Hook-Signature': z.string().describe('sha256= and 64 hex digits'),
    }),
    tag: receiving.tag,
    answers: receiving.answers,
    errors: receiving.errors,
    body: receiving.body,
  },
})

const requestPath = { ...hookPath, requestId: idOf('HOOK_REQUEST_NOT_FOUND') }

const requestAnswer = (description: string, words: string, request: WholeHookRequestAnswer) => ({
  schema: namedRequestAnswer,
  description,
  examples: { [words]: { request } },
})

export const hookRequestEndpoints = endpoints({
  'GET /api/v1/hooks/:hookId/requests': {
    tag: 'Hooks',
    summary: 'List the requests to a hook, the newest first',
    description:
      'Each request is kept before it is understood, without keys and secrets: for 30 days, and no more than the newest 2,000 of a hook, in 8 MiB.',
    path: hookPath,
    query: requestListQuery,
    answers: {
      200: {
        description: 'Requests that fit the filter',
        schema: requestListAnswer,
        examples: { 'one that was filled': { requests: [EXAMPLE_REQUEST], ...examplePaging(1) } },
      },
    },
    errors: ['HOOK_NOT_FOUND'],
  },
  'GET /api/v1/hooks/:hookId/requests/:requestId': {
    tag: 'Hooks',
    summary: 'Get a request to a hook',
    path: requestPath,
    answers: { 200: requestAnswer('The request', 'one that was filled', EXAMPLE_WHOLE_REQUEST) },
    errors: ['HOOK_NOT_FOUND', 'HOOK_REQUEST_NOT_FOUND'],
  },
  'POST /api/v1/hooks/:hookId/try': {
    tag: 'Hooks',
    summary: 'Try a message on a hook',
    description: 'How the hook reads it, and what would be sent for each account. Nothing is stored or sent.',
    path: hookPath,
    body: {
      schema: z.strictObject(trialMessage),
      examples: { 'a purchase': { body: EXAMPLE_WHOLE_REQUEST.body } },
    },
    answers: {
      200: { description: 'What would come of it', schema: trialAnswer, examples: { bought: EXAMPLE_TRIAL } },
    },
    errors: ['HOOK_NOT_FOUND', 'SERVICE_DISABLED'],
  },
  'POST /api/v1/hooks/:hookId/test': {
    tag: 'Hooks',
    summary: 'Make a test request to a hook',
    description: 'It comes into the inbox as a dry run: nothing is sent.',
    path: hookPath,
    answers: { 201: requestAnswer('The request', 'a test', EXAMPLE_TEST_REQUEST) },
    errors: ['HOOK_NOT_FOUND', 'SERVICE_DISABLED'],
  },
  'POST /api/v1/hooks/:hookId/requests/:requestId/again': {
    tag: 'Hooks',
    summary: 'Send a request again',
    description:
      'The request counts as a new alert, perhaps corrected: it trades whether the first one did or not. The text of the first is as it is kept, without keys and secrets. On a hook that is switched to live accounts it asks for a proof of the last five minutes of who you are.',
    path: requestPath,
    body: {
      schema: z.strictObject(againMessage),
      optional: true,
      examples: { 'as it is': {}, corrected: { body: EXAMPLE_WHOLE_REQUEST.body } },
    },
    answers: {
      201: requestAnswer('The new request', 'taken', {
        ...EXAMPLE_WHOLE_REQUEST,
        via: 'again',
        again: EXAMPLE_REQUEST.id,
      }),
    },
    errors: ['HOOK_NOT_FOUND', 'HOOK_REQUEST_NOT_FOUND', 'SERVICE_DISABLED', 'VERIFICATION_REQUIRED'],
  },
})
