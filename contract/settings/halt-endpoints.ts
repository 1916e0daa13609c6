import { endpoints, idOf } from '../endpoint.ts'
import { z } from 'zod'
import { haltDetailAnswer, haltListAnswer, type HaltAnswer } from './answers.ts'
import { haltListQuery, haltRequest } from './schema.ts'
import { EXAMPLE_ACCOUNT_ID } from '../examples.ts'

const HALT: HaltAnswer = {
  id: '17',
  scope: 'account',
  accountId: EXAMPLE_ACCOUNT_ID,
  level: 'pauseEntries',
  reason: 'earnings day',
  setBy: 'trader@example.com',
  setAt: '2026-03-02T14:30:05.000Z',
  liftedBy: null,
  liftedAt: null,
}

const LIFTED: HaltAnswer = {
  ...HALT,
  liftedBy: 'trader@example.com',
  liftedAt: '2026-03-03T13:00:00.000Z',
}

const OF_OPERATOR: HaltAnswer = { ...HALT, scope: 'operator', accountId: null, setBy: 'operator' }

const haltAnswerOf = (description: string, halt: HaltAnswer) => ({
  200: {
    description,
    schema: haltDetailAnswer,
    examples: { 'a halt': { halt } },
  },
})

const haltBody = {
  schema: z.strictObject(haltRequest),
  examples: {
    'no new positions today': { level: 'pauseEntries', reason: 'earnings day' },
    'at once': { level: 'fullStop' },
  },
}

const THROWN = 'The halt that stands now'

const SWITCH = `Levels: \`pauseEntries\` (no signal opens a position), \`reduceOnly\` (nothing opens a position, manual orders included), \`fullStop\` (nothing is sent at all; exits wait, and go out when it is lifted). It binds every order that is not at the broker yet, those of running signals within a second. A token may set a halt and make it more severe; only a person, with a JWT and a proof of the last five minutes of who they are, may make it milder or lift it. A reason is not needed.`

export const haltEndpoints = endpoints({
  'GET /api/v1/settings/halts': {
    tag: 'Risk',
    summary: 'List the halts that bind the caller, then those that were lifted',
    query: haltListQuery,
    answers: {
      200: {
        description: 'Halts of everybody, of the user and of accounts; the standing ones first',
        schema: haltListAnswer,
        examples: { 'one halt': { halts: [HALT] } },
      },
    },
    errors: [],
  },
  'PUT /api/v1/settings/halt': {
    tag: 'Risk',
    summary: 'Throw the kill switch for all accounts of the caller',
    description: SWITCH,
    body: haltBody,
    answers: haltAnswerOf(THROWN, { ...HALT, scope: 'user', accountId: null }),
    errors: ['VERIFICATION_REQUIRED'],
  },
  'DELETE /api/v1/settings/halt': {
    tag: 'Risk',
    summary: 'Lift the halt of all accounts of the caller',
    answers: haltAnswerOf('The halt that was lifted', { ...LIFTED, scope: 'user', accountId: null }),
    errors: ['HALT_NOT_FOUND'],
  },
  'PUT /api/v1/settings/halt/:accountId': {
    tag: 'Risk',
    summary: 'Throw the kill switch for one account',
    description: SWITCH,
    path: { accountId: idOf('ACCOUNT_NOT_FOUND') },
    body: haltBody,
    answers: haltAnswerOf(THROWN, HALT),
    errors: ['ACCOUNT_NOT_FOUND', 'VERIFICATION_REQUIRED'],
  },
  'DELETE /api/v1/settings/halt/:accountId': {
    tag: 'Risk',
    summary: 'Lift the halt of one account',
    path: { accountId: idOf('ACCOUNT_NOT_FOUND') },
    answers: haltAnswerOf('The halt that was lifted', LIFTED),
    errors: ['ACCOUNT_NOT_FOUND', 'HALT_NOT_FOUND'],
  },
  'PUT /api/v1/admin/halt': {
    tag: 'Administration',
    summary: 'Throw the kill switch for everybody',
    body: haltBody,
    answers: haltAnswerOf(THROWN, { ...HALT, scope: 'global', accountId: null, setBy: 'operator' }),
    errors: [],
  },
  'DELETE /api/v1/admin/halt': {
    tag: 'Administration',
    summary: 'Lift the halt of everybody',
    answers: haltAnswerOf('The halt that was lifted', {
      ...LIFTED,
      scope: 'global',
      accountId: null,
      setBy: 'operator',
      liftedBy: 'operator',
    }),
    errors: ['HALT_NOT_FOUND'],
  },
  'PUT /api/v1/admin/users/:userId/halt': {
    tag: 'Administration',
    summary: 'Throw the kill switch for one user',
    description: 'Beside halts of their own. They see it, and can neither lift it nor make it milder.',
    path: { userId: idOf('USER_NOT_FOUND') },
    body: haltBody,
    answers: haltAnswerOf(THROWN, OF_OPERATOR),
    errors: ['USER_NOT_FOUND'],
  },
  'DELETE /api/v1/admin/users/:userId/halt': {
    tag: 'Administration',
    summary: 'Lift the halt that an administrator has set for one user',
    description: 'Halts of everybody, and those that the user has set, go on binding.',
    path: { userId: idOf('USER_NOT_FOUND') },
    answers: haltAnswerOf('The halt that was lifted', {
      ...OF_OPERATOR,
      liftedBy: 'operator',
      liftedAt: '2026-03-03T13:00:00.000Z',
    }),
    errors: ['USER_NOT_FOUND', 'HALT_NOT_FOUND'],
  },
})
