import { z } from 'zod'
import { standardAnswer } from '../http/envelopes.ts'
import { EXAMPLE_REQUEST_ID, exampleAnswer, examplePaging } from '../http/examples.ts'
import type { Operations } from '../http/operation.ts'
import { pagingAnswer } from '../http/paging.ts'
import { uuid } from '../http/validation/values.ts'
import { createdAnswer, dryRunAnswer, rejectedAnswer, signalAnswer, signalEventAnswer } from './answers.ts'
import { decisionOperations } from './decision-operations.ts'
import { EXAMPLE_PENDING, EXAMPLE_SIGNAL, SIGNAL_BODIES } from './examples.ts'
import { signalFields } from './fields.ts'
import { signalEventsQuery, signalListQuery } from './list-schema.ts'

const CREATION = `Stores the signal and sees it through: its order is sent once, whatever fails on the way, and its exit is
placed after the entry has ended.

**Answers.** An immediate signal waits for the broker for up to two seconds: 201 when it took the order, 202 when that is
not known yet, 400 with the reason when it came to nothing. A scheduled one is answered 202, a pending one 201. Whatever
was answered 2xx is on record for good.

**Sent twice.** With a \`sourceId\` the second request is answered 200 with the first signal, and nothing else happens.
Without one, every request is a new signal and a new order. A \`sourceId\` belongs to one account; rejected, cancelled and
failed signals set it free. With \`replaceExisting\` the new signal takes the place of the one that holds it: an order that
works unfilled is cancelled at the broker first, and once anything has filled the replacement is refused
(\`REPLACE_REFUSED_FILLED\`).

**Fields that belong together.** Prices that the order type does not use are refused, not ignored. \`scheduledProcessAt\`
goes with \`scheduled\` alone, \`expiresAt\` with \`gtd\` alone. Local times need \`timezone\` and must exist in it: the hour
that a clock change leaves out is a fault, one that happens twice is taken as the first, with an advisory. Exit fields
belong to \`openLong\` and \`openShort\`; each trigger takes its own field and no other. A \`moc\` exit is always \`cls\`. All
faults are named in one answer.

**Advisories** tell what a sender should know of a signal that is accepted all the same, such as
\`exit_rule_tif_may_not_terminate\`, \`source_id_payload_mismatch\` or \`quantity_reduced_to_position\`.

**Alerting services** may send the JSON as \`text/plain\`, and numbers as text.`

const summary = {
  id: EXAMPLE_SIGNAL.id,
  status: 'executed',
  executeMode: 'immediate',
  orderId: EXAMPLE_SIGNAL.orderId,
}
const terms = { symbol: 'AAPL', limitPrice: null, stopPrice: null, timeInForce: 'day', extendedHours: false }

/** Parameters of the routes of one signal. */
export const signalPath = z.strictObject({ id: uuid() })

/** The routes of signals, for the description of the API. */
export const signalOperations: Operations = {
  'POST /api/v1/signals': {
    tag: 'Signals',
    summary: 'Send a signal',
    description: CREATION,
    body: { schema: z.strictObject(signalFields), examples: SIGNAL_BODIES },
    answers: {
      200: {
        description: 'A living signal holds the sourceId and nothing was stored; or the outcome of a dry run',
        schema: z.union([createdAnswer, dryRunAnswer]),
        examples: {
          'there already': {
            success: true,
            message:
              'A signal with sourceId "breakout-2026-03-02-1" exists already, with status executed; send replaceExisting=true to supersede it',
            signal: summary,
            requestId: EXAMPLE_REQUEST_ID,
          },
          'a dry run': {
            success: true,
            message: 'Nothing was stored or sent. The order would be sent',
            dryRun: {
              outcome: 'ready',
              order: {
                clientOrderId: '<signal id>-e1',
                ...terms,
                side: 'BUY',
                quantity: 10,
                orderType: 'market',
              },
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
        schema: createdAnswer,
        examples: {
          executed: {
            success: true,
            message: 'The broker accepted the order',
            signal: summary,
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
        schema: createdAnswer,
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
            error: 'insufficient buying power',
            code: 'INSUFFICIENT_FUNDS',
            details: [
              {
                code: 'INSUFFICIENT_FUNDS',
                message: 'insufficient buying power',
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
    summary: 'List signals, the newest first',
    query: signalListQuery,
    answers: {
      200: {
        description: 'Signals of the caller that fit the filter',
        schema: standardAnswer(z.strictObject({ signals: z.array(signalAnswer), ...pagingAnswer })),
        examples: { 'one signal': exampleAnswer({ signals: [EXAMPLE_SIGNAL], ...examplePaging(1) }) },
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
        schema: standardAnswer(signalAnswer),
        examples: { 'executed, its exit planned': exampleAnswer(EXAMPLE_SIGNAL) },
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
        schema: standardAnswer(z.strictObject({ events: z.array(signalEventAnswer), ...pagingAnswer })),
        examples: {
          'two steps': exampleAnswer({
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
          }),
        },
      },
    },
    errors: ['SIGNAL_NOT_FOUND'],
  },
  ...decisionOperations,
}
