import { endpoints, idOf } from '../endpoint.ts'
import { z } from 'zod'
import { examplePaging } from '../envelopes.ts'
import { decidedLinesAnswer } from '../signal/answers.ts'
import { declineFields } from '../signal/decisions.ts'
import {
  groupDetailAnswer,
  groupListAnswer,
  stoppedGroupAnswer,
  EXAMPLE_DECIDED_ONE,
  EXAMPLE_GROUP,
  EXAMPLE_GROUP_DETAIL,
  EXAMPLE_STOPPED,
  groupListQuery,
} from './shapes.ts'

const groupPath = { groupId: idOf('SIGNAL_GROUP_NOT_FOUND') }

const EACH =
  'Each signal has an outcome of its own, as if it were decided on alone; the answer is always 200. Repeating it is harmless.'

const lines = (words: string) => ({
  200: {
    description: 'The outcome for each signal in the list; nothing happened to signals without a line',
    schema: decidedLinesAnswer,
    examples: { [words]: EXAMPLE_DECIDED_ONE },
  },
})

export const groupEndpoints = endpoints({
  'GET /api/v1/signal-groups': {
    tag: 'Signals',
    summary: 'List groups of signals, the newest first',
    description:
      'A group is what one request with `accountIds`, or one message of a hook, asked for: a signal for each account. Its signals are in `GET /signals` too, with its `groupId`.',
    query: groupListQuery,
    answers: {
      200: {
        description: 'Groups of the caller that fit the filter',
        schema: groupListAnswer,
        examples: { 'one group': { groups: [EXAMPLE_GROUP], ...examplePaging(1) } },
      },
    },
    errors: [],
  },
  'GET /api/v1/signal-groups/:groupId': {
    tag: 'Signals',
    summary: 'Get a group with its signals, and the accounts that have none',
    path: groupPath,
    answers: {
      200: {
        description: 'The group',
        schema: groupDetailAnswer,
        examples: { 'one executed, one pending, one refused': EXAMPLE_GROUP_DETAIL },
      },
    },
    errors: ['SIGNAL_GROUP_NOT_FOUND'],
  },
  'POST /api/v1/signal-groups/:groupId/process': {
    tag: 'Signals',
    summary: 'Approve all signals of a group that wait for a person',
    description: `${EACH} One on a live account is approved with a proof of the last five minutes of who you are alone.`,
    path: groupPath,
    answers: lines('one approved'),
    errors: ['SIGNAL_GROUP_NOT_FOUND'],
  },
  'POST /api/v1/signal-groups/:groupId/reject': {
    tag: 'Signals',
    summary: 'Decline all signals of a group that wait for a person',
    description: EACH,
    path: groupPath,
    body: {
      schema: z.strictObject(declineFields),
      optional: true,
      examples: { 'with a reason': { reason: 'not before the figures' }, 'without one': {} },
    },
    answers: lines('one declined'),
    errors: ['SIGNAL_GROUP_NOT_FOUND'],
  },
  'DELETE /api/v1/signal-groups/:groupId': {
    tag: 'Signals',
    summary: 'Withdraw the signals of a group that wait, and cancel its entries that work',
    description: `What has filled stays, and so do exits. To cancel an entry that works a token needs \`orders:write\` too. ${EACH}`,
    path: groupPath,
    answers: {
      200: {
        description: 'The outcome for each signal',
        schema: stoppedGroupAnswer,
        examples: { 'one withdrawn': EXAMPLE_STOPPED },
      },
    },
    errors: ['SIGNAL_GROUP_NOT_FOUND'],
  },
  'DELETE /api/v1/signal-groups/:groupId/exit': {
    tag: 'Signals',
    summary: 'Cancel the exits of a group that wait',
    description: `The positions stay open, and the service no longer closes them. ${EACH}`,
    path: groupPath,
    answers: lines('one cancelled'),
    errors: ['SIGNAL_GROUP_NOT_FOUND'],
  },
})
