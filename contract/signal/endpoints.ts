import { SIGNAL_SORTS } from '#domain/signal/list-choices.ts'
import { LISTED_ORIGINS } from '#domain/signal/by-hand.ts'
import { ORIGINS } from '#domain/signal/origin.ts'
import { EXIT_STATUSES } from '#domain/exit/exit.ts'
import { EXECUTE_MODES, SIGNAL_STATUSES } from '#domain/signal/signal.ts'
import { z } from 'zod'
import { paging, period, checkPeriod, pagingAnswer } from '../values/query.ts'
import { anyOf, lineOfText, oneOf, symbols, uuid, wholeNumber } from '../values/values.ts'
import { endpoints, idOf } from '../endpoint.ts'
import { createdGroupAnswer, groupDryRunAnswer, readSending, sendingFields } from '../group/shapes.ts'
import { EXAMPLE_REQUEST_ID, examplePaging } from '../envelopes.ts'
import type { JsonObject } from '../values/fields.ts'
import {
  createdAnswer,
  rejectedAnswer,
  signalAnswer,
  signalDetailAnswer,
  signalEventAnswer,
  signalSourceAnswer,
} from './answers.ts'
import { dryRunAnswer } from './dry-run.ts'
import { EXAMPLE_DETAIL, EXAMPLE_PENDING, EXAMPLE_SIGNAL, SENT_AT_ONCE, SIGNAL_BODIES } from './examples.ts'
import { SIGNAL_WRITER } from './request.ts'

const CREATION = `Stores the signal and sees it through: its order is sent once, also after failures on the way, and its exit is
placed after the entry has ended.

**Answers.** An immediate signal waits for the broker for up to two seconds: 201 when it took the order, 202 when that is
not known yet, 400 with the reason when it came to nothing. A scheduled one is answered 202, a pending one 201. Each request that
was answered 2xx is on record for good, except a replacement that is not decided yet (\`replacement_undecided\`).

**Sent twice.** With a \`sourceId\` the second request is answered 200 with the first signal, and nothing else happens; if it was for another trade, \`message\` says so and the owner gets an alert. Without one, every request is a new signal and a new order, unless the owner of the token takes equal bodies within 30 seconds for one (\`mergesRepeats\`): the others are answered 200 with the first signal and the advisory \`repeated_body\`. A \`sourceId\` belongs to one account; rejected, cancelled and
failed signals set it free once none of their orders can work. With \`replaceExisting\` the new signal takes the place of the one that holds it: an order that
works unfilled is cancelled at the broker first, and once anything has filled the replacement is refused (\`REPLACE_REFUSED_FILLED\`). A signal that a newer one replaces before its own sender is answered was created all the
same: 201 with status \`cancelled\`, so that its sender does not send it again and replace the newer one.

**Several accounts.** \`accountIds\` in the place of \`accountId\` sends a signal for each, in a size of its own where you say so. All are stored
before the first is sent, and form a group (\`groupId\`). An account that refuses its signal holds up no other: \`signals\` has the
outcome for each. \`sourceId\` is then the name of the group, for ever: sent again, it is answered 200 with the signals that are there. Where every
account refuses, nothing is stored and the name stays free.

**Fields that belong together.** Prices that the order type does not use are refused, not ignored. \`scheduledProcessAt\`
goes with \`scheduled\` alone, \`expiresAt\` with \`gtd\` alone. Local times need \`timezone\` and must exist in it: the hour
that a clock change leaves out is a fault, one that happens twice is taken as the first, with an advisory. Exit fields
belong to \`openLong\` and \`openShort\`; each trigger takes its own field and no other. A \`moc\` exit is always \`cls\`. All
faults are named in one answer.

**Advisories** are remarks to the sender about a signal that was accepted all the same, such as
\`exit_rule_tif_may_not_terminate\`, \`source_id_payload_mismatch\`, \`quantity_reduced_to_position\` or
\`quantity_reduced_to_buying_power\`.

**Too many at once.** A flood is not taken as a whole: a signal that gets no turn within a second is refused, 503
\`TOO_MANY_AT_ONCE\` or \`TOO_BUSY\`, and nothing of it is stored. Send it again after \`Retry-After\` seconds with the same
\`sourceId\`. A repetition of an accepted signal is answered 200 meanwhile too.

**Alerting services** may send the JSON as \`text/plain\`, numbers as text, and empty text in an optional field for leaving it out. A placeholder that was not replaced is a fault, in \`metadata\` an advisory; so is a \`sourceId\` of blanks, punctuation or \`null\`, \`undefined\`, \`NaN\`.`

const signalListQuery = z
  .strictObject({
    accountId: uuid().optional(),
    strategyId: uuid().optional(),
    tokenId: uuid().describe('The access token that sent it').optional(),
    groupId: uuid().describe('The group that it is a part of').optional(),
    sourceId: lineOfText(255).optional(),
    origin: anyOf(ORIGINS)
      .describe(
        'Who asked for it: a program or a person by a signal (sender), a hook, or a person by an order, a close or a flattening',
      )
      .default([...LISTED_ORIGINS]),
    status: anyOf(SIGNAL_STATUSES).optional(),
    executeMode: oneOf(EXECUTE_MODES).optional(),
    exitStatus: anyOf(EXIT_STATUSES)
      .describe('The state of its exit; finds only signals with an exit')
      .optional(),
    symbol: symbols().optional(),
    sort: oneOf(SIGNAL_SORTS)
      .describe('newest: the newest first. validUntil: the soonest to expire first, those that never do last')
      .default('newest'),
    ...period,
    ...paging,
  })
  .check(checkPeriod)

const signalEventsQuery = z.strictObject({ ...paging, limit: wholeNumber(1, 500).default(500) })

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
              ...SENT_AT_ONCE,
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
    summary: 'Get a signal with its state and its exit',
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
    summary: 'Get the request body of a signal',
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
