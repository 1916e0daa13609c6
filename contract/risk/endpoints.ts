import { endpoints, idOf } from '../endpoint.ts'
import { z } from 'zod'
import {
  haltDetailAnswer,
  haltListAnswer,
  type HaltAnswer,
  haltListQuery,
  haltRequest,
  riskSettingsAnswer,
  riskSettingsListAnswer,
  riskUsageAnswer,
  type RiskSettingsAnswer,
  riskLimitsRequest,
} from './shapes.ts'
import { EXAMPLE_ACCOUNT_ID } from '../envelopes.ts'

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

const THROWN = 'The halt that is active now'

const SWITCH = `Levels: \`pauseEntries\` (no signal opens a position), \`reduceOnly\` (nothing opens a position, manual orders included), \`fullStop\` (nothing is sent at all; exits wait, and are sent when it is lifted). It binds every order that is not at the broker yet, those of running signals within a second. A token may set a halt and make it more severe; only a person, with a JWT and a proof of the last five minutes of who they are, may make it milder or lift it. A reason is not needed.`

export const haltEndpoints = endpoints({
  'GET /api/v1/settings/halts': {
    tag: 'Risk',
    summary: 'List the halts that bind the caller, then those that were lifted',
    query: haltListQuery,
    answers: {
      200: {
        description: 'Halts of everybody, of the user and of accounts; the active ones first',
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

const DEFAULT_LIMITS: RiskSettingsAnswer = {
  accountId: '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f',
  limits: {
    maxOrderShares: 100000,
    maxOrderValue: 1000000,
    maxPositionShares: 500000,
    maxPositionValue: 5000000,
    maxOrdersPerMinute: 600,
    maxOrdersPerDay: 10000,
    maxDailyLoss: null,
    maxDailyLossPercent: 20,
    priceCollarPercent: 50,
    maxApprovalDriftPercent: 5,
    approvalAboveValue: null,
    duplicateWindowSeconds: 2,
    duplicatePolicy: 'warn',
    allowedSymbols: null,
    forbiddenSymbols: [],
    marketHours: 'any',
  },
  set: {},
}

const LIMITS: RiskSettingsAnswer = {
  accountId: '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f',
  limits: {
    maxOrderShares: 100000,
    maxOrderValue: 25000,
    maxPositionShares: 500000,
    maxPositionValue: 5000000,
    maxOrdersPerMinute: 600,
    maxOrdersPerDay: 10000,
    maxDailyLoss: null,
    maxDailyLossPercent: 3,
    priceCollarPercent: 50,
    maxApprovalDriftPercent: 5,
    approvalAboveValue: null,
    duplicateWindowSeconds: 2,
    duplicatePolicy: 'warn',
    allowedSymbols: null,
    forbiddenSymbols: ['GME'],
    marketHours: 'any',
  },
  set: {
    maxOrderValue: 25000,
    maxDailyLossPercent: 3,
    forbiddenSymbols: ['GME'],
  },
}

const riskAnswer = (description: string, example: RiskSettingsAnswer) => ({
  200: {
    description,
    schema: riskSettingsAnswer,
    examples: { 'three limits set': example },
  },
})

const LOOSENING =
  'A limit that allows more than before asks for a proof of the last five minutes of who you are, by the sign-in or by POST /auth/verify; `details` of `VERIFICATION_REQUIRED` name such limits. Tightening asks for none.'

export const riskEndpoints = endpoints({
  'GET /api/v1/settings/risk': {
    tag: 'Risk',
    summary: 'List the risk limits of all accounts',
    answers: {
      200: {
        description: 'The limits of every account, the primary one first',
        schema: riskSettingsListAnswer,
        examples: { 'one account': { accounts: [LIMITS] } },
      },
    },
    errors: [],
  },
  'GET /api/v1/settings/risk-usage': {
    tag: 'Risk',
    summary: 'Get the present use of the risk limits of all accounts',
    description: 'Of the limits that count something; the figures are those that the rules compare.',
    answers: {
      200: {
        description: 'The usage of every account, the primary one first',
        schema: riskUsageAnswer,
        examples: {
          'one account': {
            accounts: [
              {
                accountId: EXAMPLE_ACCOUNT_ID,
                ordersThisMinute: 1,
                ordersToday: 12,
                lossToday: 120.5,
                lossTodayPercent: 0.1205,
                mostShares: { symbol: 'F', amount: 400 },
                mostValue: { symbol: 'NVDA', amount: 18_350.5 },
              },
            ],
          },
        },
      },
    },
    errors: [],
  },
  'GET /api/v1/settings/risk/:accountId': {
    tag: 'Risk',
    summary: 'Get the risk limits of an account',
    path: { accountId: idOf('ACCOUNT_NOT_FOUND') },
    answers: riskAnswer('The limits of the account', LIMITS),
    errors: ['ACCOUNT_NOT_FOUND'],
  },
  'PUT /api/v1/settings/risk/:accountId': {
    tag: 'Risk',
    summary: 'Replace the risk limits of an account',
    description: `A limit that is left out has its default again; null switches it off. It binds the next order that is sent, also of signals that wait. ${LOOSENING}`,
    path: { accountId: idOf('ACCOUNT_NOT_FOUND') },
    body: {
      schema: z.strictObject(riskLimitsRequest),
      examples: {
        'three limits': { maxOrderValue: 25000, maxDailyLossPercent: 3, forbiddenSymbols: ['GME'] },
        'no largest order': { maxOrderShares: null, maxOrderValue: null },
      },
    },
    answers: riskAnswer('The limits that hold from now on', LIMITS),
    errors: ['ACCOUNT_NOT_FOUND', 'VERIFICATION_REQUIRED'],
  },
  'DELETE /api/v1/settings/risk/:accountId': {
    tag: 'Risk',
    summary: 'Reset the risk limits of an account to their defaults',
    description: LOOSENING,
    path: { accountId: idOf('ACCOUNT_NOT_FOUND') },
    answers: riskAnswer('The defaults', DEFAULT_LIMITS),
    errors: ['ACCOUNT_NOT_FOUND', 'VERIFICATION_REQUIRED'],
  },
})
