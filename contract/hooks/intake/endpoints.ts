import { endpoints, idOf } from '../../endpoint.ts'
import { z } from 'zod'

const HOW_TAKEN = `Whatever the sender writes is taken: JSON or text, by whatever content type, of at most 16 KiB and 200 fields in an
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
    description: `${HOW_TAKEN}\n\nThe secret stands at the end of the address, for senders that can set no header.`,
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
