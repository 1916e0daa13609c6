import { z } from 'zod'
import { lineOfText, uuid } from '../values/values.ts'
import { signalFields, protectionFields } from './fields.ts'
import { endpoints, idOf } from '../endpoint.ts'
import { EXAMPLE_REQUEST_ID } from '../envelopes.ts'
import { approvalRejectedAnswer, decidedAnswer, decidedLinesAnswer, type SignalAnswer } from './answers.ts'
import { signalCheckAnswer } from './dry-run.ts'
import {
  EXAMPLE_CHECK,
  EXAMPLE_DECLINED,
  EXAMPLE_EXIT_CANCELLED,
  EXAMPLE_PENDING,
  EXAMPLE_SIGNAL,
  EXAMPLE_WITHDRAWN,
} from './examples.ts'

const MAX_IDS = 100

const ids = () =>
  z
    .array(uuid(), { error: 'must be a list of signal ids' })
    .min(1, 'must name at least one signal')
    .max(MAX_IDS, `must name at most ${MAX_IDS} signals`)
    .transform((list) => [...new Set(list)])

const reason = () => lineOfText(500).optional()

const approvalFields = {
  quantity: signalFields.quantity.optional(),
  limitPrice: signalFields.limitPrice,
}
const exitSizeFields = {
  quantity: signalFields.quantity.describe(
    'Shares that the exit is to sell, or to buy back; no more than the broker shows',
  ),
  limitPrice: signalFields.exitLimitPrice,
  stopPrice: signalFields.exitStopPrice,
}
const checkQuery = z.strictObject(approvalFields)
export const declineFields = { reason: reason() }
const bulkApprovalFields = { ids: ids() }
const bulkDeclineFields = { ids: ids(), reason: reason() }

const signalPath = { id: idOf('SIGNAL_NOT_FOUND') }

const decided = (description: string, words: string, signal: SignalAnswer) => ({
  description,
  schema: decidedAnswer,
  examples: { [words]: { signal } },
})

const unconfirmed = (signal: SignalAnswer) =>
  decided('The decision was passed on and is not confirmed yet', 'not confirmed yet', signal)

const DECIDED_ONCE =
  'Of any number of people who decide at once, one decides, and the others receive the state of the signal. A decision that is not ' +
  'confirmed in time is answered 202 with the advisory `decision_unconfirmed`, and one that could not be passed on 503 ' +
  '`TEMPORAL_UNAVAILABLE`: sending it again is harmless.'

const PROOF =
  'For a live account, whose order is for real money, you have proven within the last five minutes who you are: by the ' +
  'sign-in or by POST /auth/verify; without it that approval is refused as `VERIFICATION_REQUIRED`.'

const SEVERAL = 'Up to a hundred signals, each with an outcome of its own; the answer is always 200.'

const lines = (words: string, signal: SignalAnswer) => ({
  description: 'The outcome for each signal',
  schema: decidedLinesAnswer,
  examples: {
    [words]: {
      results: [
        { id: signal.id, success: true, signal },
        {
          id: '5d4e3f2a-1b0c-4d9e-8f7a-6b5c4d3e2f1a',
          success: false,
          code: 'SIGNAL_NOT_FOUND',
          error: 'There is no such signal',
        },
      ],
    },
  },
})

const executed: SignalAnswer = { ...EXAMPLE_SIGNAL, id: EXAMPLE_PENDING.id, executeMode: 'pending' }

export const decisionEndpoints = endpoints({
  'GET /api/v1/signals/:id/check': {
    tag: 'Signals',
    summary: 'Preview the approval of a signal',
    description:
      'For a signal that waits for a person: the decision that would be made right before its order is sent, with the edits that an approval may carry, from the ledger and the market of this moment. Nothing is stored or sent.',
    path: signalPath,
    query: checkQuery,
    answers: {
      200: {
        description: 'The order, what every rule says of it, and the figures to decide by',
        schema: signalCheckAnswer,
        examples: { 'ten shares': EXAMPLE_CHECK },
      },
    },
    errors: [
      'SIGNAL_NOT_FOUND',
      'SIGNAL_NOT_PENDING',
      'ACCOUNT_NOT_FOUND',
      'BROKER_CREDENTIALS_INVALID',
      'BROKER_ERROR',
      'BROKER_SHARE_SPENT',
      'TOO_MANY_AT_ONCE',
      'TOO_BUSY',
    ],
  },
  'POST /api/v1/signals/:id/process': {
    tag: 'Signals',
    summary: 'Approve a pending signal',
    description: `Everything is checked again at this moment: expiry, mode, limits, session, buying power. Where the order would be refused for a reason that can change, such as a halt, a limit, a price or the session, the answer is 409 \`WOULD_BE_REFUSED\` with the reason as its detail: nothing is decided, the signal waits as before, without the edits, and may be approved again. Quantity and limit price may be changed, by the rules that held when the signal was sent. ${PROOF} ${DECIDED_ONCE}`,
    path: signalPath,
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
        description: 'Approved, and refused for good or not sent: `code` says why',
        schema: approvalRejectedAnswer,
        examples: {
          'too little money': {
            error: 'The order needs $22,500 of buying power, and the account has $10,000',
            code: 'INSUFFICIENT_FUNDS',
            details: [
              {
                code: 'INSUFFICIENT_FUNDS',
                message: 'The order needs $22,500 of buying power, and the account has $10,000',
                signalId: EXAMPLE_PENDING.id,
                status: 'rejected',
              },
            ],
            requestId: EXAMPLE_REQUEST_ID,
          },
        },
      },
    },
    errors: [
      'SIGNAL_NOT_FOUND',
      'SIGNAL_NOT_PENDING',
      'WOULD_BE_REFUSED',
      'VERIFICATION_REQUIRED',
      'TEMPORAL_UNAVAILABLE',
    ],
  },
  'POST /api/v1/signals/:id/reject': {
    tag: 'Signals',
    summary: 'Decline a pending signal',
    description: DECIDED_ONCE,
    path: signalPath,
    body: {
      schema: z.strictObject(declineFields),
      optional: true,
      examples: { 'with a reason': { reason: 'not before the figures' }, 'without one': {} },
    },
    answers: {
      200: decided('Declined; no order is sent', 'declined', EXAMPLE_DECLINED),
      202: unconfirmed(EXAMPLE_PENDING),
    },
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
    description: `Withdraws pending, scheduled and queued signals; those that Temporal has not begun yet also while Temporal is unavailable. Once the service has decided to send the order it is too late (\`SIGNAL_NOT_CANCELLABLE\`). ${DECIDED_ONCE}`,
    path: signalPath,
    answers: {
      200: decided('Withdrawn; no order is sent', 'withdrawn', EXAMPLE_WITHDRAWN),
      202: unconfirmed(EXAMPLE_PENDING),
    },
    errors: ['SIGNAL_NOT_FOUND', 'SIGNAL_NOT_CANCELLABLE', 'TEMPORAL_UNAVAILABLE'],
  },
  'DELETE /api/v1/signals/:id/exit': {
    tag: 'Signals',
    summary: 'Cancel the exit of an executed signal before it is sent',
    description: `The position stays open, and the service no longer closes it. Refused as long as the signal has levels, such as a stop or a target, because they would end as well: remove those first (\`PATCH /signals/:id/protection\`). ${DECIDED_ONCE}`,
    path: signalPath,
    answers: {
      200: decided('The exit is cancelled', 'exit cancelled', EXAMPLE_EXIT_CANCELLED),
      202: unconfirmed(EXAMPLE_SIGNAL),
    },
    errors: ['SIGNAL_NOT_FOUND', 'EXIT_NOT_CANCELLABLE', 'TEMPORAL_UNAVAILABLE'],
  },
  'POST /api/v1/signals/:id/exit/size': {
    tag: 'Signals',
    summary: 'Choose how many shares an exit sells that has stopped',
    description:
      'An exit stops while the broker shows more shares than the fills of its signal give, as after a split, and one at a price also while it shows fewer: an open alert `unprotected_position` then has `details.beyond`, `{shown, own}`. The choice counts for the position that was shown; what no execution explains is booked as shares of no signal. A limit or a stop of the exit must be given again, or is adjusted by the split where the broker lists one (`details.beyond.split`). If you choose again before the order is sent, the last choice counts.',
    path: signalPath,
    body: {
      schema: z.strictObject(exitSizeFields),
      examples: {
        'all of them': { quantity: 100 },
        'some, at another limit': { quantity: 10, limitPrice: 12 },
      },
    },
    answers: { 202: decided('The exit has its new size and is sent', 'chosen', EXAMPLE_SIGNAL) },
    errors: ['SIGNAL_NOT_FOUND', 'EXIT_NOT_ASKED'],
  },
})

export const protectionEndpoints = endpoints({
  'PATCH /api/v1/signals/:id/protection': {
    tag: 'Signals',
    summary: 'Change how a position is protected',
    description:
      'Levels in the body replace those of the exit, null removes one, and the others stay. When no level is left, the exit by levels ends and the position stays open. So `stop`, `target`, `trail` and `breakEven`, each null, remove all levels; a body that changes nothing, such as `{}`, is a fault and leaves the levels as they are. A signal whose order has not been sent can be changed too; one that waits for a person, only by a person. A new price changes the order at the broker, also while all trading is stopped; another kind of order replaces that order once its end is confirmed. A level that the price has passed is refused, because it would close the position at once; a level by price while no price is known is answered 409 `WOULD_BE_REFUSED` with `PRICE_UNKNOWN` as its detail. An access token changes the levels of its own signals only. Distances count from the average fill. The stop of a signal that is sized by risk stays while its entry is being sent. A change that is not confirmed in time is answered 202 with the advisory `decision_unconfirmed`; sending it again is harmless.',
    path: { id: idOf('SIGNAL_NOT_FOUND') },
    body: {
      schema: z.strictObject(protectionFields),
      examples: {
        'move the stop, and leave the rest': { stop: { price: 186.5 } },
        'let profits run': { target: null, trail: { percent: 3 } },
        'remove all levels': { stop: null, target: null, trail: null, breakEven: null },
      },
    },
    answers: {
      200: {
        description: 'The levels are changed',
        schema: decidedAnswer,
        examples: { changed: { signal: EXAMPLE_SIGNAL } },
      },
      202: {
        description: 'The change was passed on and is not confirmed yet',
        schema: decidedAnswer,
        examples: { 'not confirmed yet': { signal: EXAMPLE_SIGNAL } },
      },
    },
    errors: ['SIGNAL_NOT_FOUND', 'PROTECTION_NOT_CHANGEABLE', 'WOULD_BE_REFUSED', 'TEMPORAL_UNAVAILABLE'],
  },
})
