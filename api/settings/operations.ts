import { exampleAnswer } from '../http/examples.ts'
import type { Operations } from '../http/operation.ts'
import { noQuery } from '../http/validation/query.ts'
import { z } from 'zod'
import {
  haltEnvelope,
  haltListEnvelope,
  riskSettingsEnvelope,
  riskSettingsListEnvelope,
  type HaltAnswer,
  type RiskSettingsAnswer,
} from './answers.ts'
import { presentRiskSettings } from './record.ts'
import { accountPath, haltListQuery, haltRequest } from './halt-schema.ts'
import { riskLimitsRequest } from './risk-schema.ts'

const ACCOUNT_ID = '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f'

const LIMITS: RiskSettingsAnswer = presentRiskSettings(ACCOUNT_ID, {
  maxOrderValue: '25000',
  maxDailyLossPercent: '3',
  forbiddenSymbols: ['GME'],
})
const HALT: HaltAnswer = {
  id: '17',
  scope: 'account',
  accountId: ACCOUNT_ID,
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

const riskAnswer = (description: string, example: RiskSettingsAnswer) => ({
  200: {
    description,
    schema: riskSettingsEnvelope,
    examples: { 'three limits set': exampleAnswer(example) },
  },
})
const haltAnswerOf = (description: string, halt: HaltAnswer) => ({
  200: {
    description,
    schema: haltEnvelope,
    examples: { 'a halt': exampleAnswer({ halt }) },
  },
})
const haltBody = {
  schema: z.strictObject(haltRequest),
  examples: { 'no new positions today': { level: 'pauseEntries', reason: 'earnings day' } },
}
const LOOSENING =
  'A limit that allows more than before asks for a proof of the last five minutes of who you are, by the sign-in or by POST /auth/verify; `details` of `VERIFICATION_REQUIRED` name such limits. Tightening asks for none.'
const THROWN = 'The halt that stands now'
const SWITCH = `Levels: \`pauseEntries\` (no signal opens a position), \`reduceOnly\` (nothing opens a position, manual orders included), \`fullStop\` (nothing is sent at all; exits wait, and go out when it is lifted). It binds every order that is not at the broker yet, those of running signals within a second. A token may set a halt and make it more severe; only a person, with a JWT and a proof of the last five minutes of who they are, may make it milder or lift it.`

/** The routes of settings, for the description of the API. */
export const settingsOperations: Operations = {
  'GET /api/v1/settings/risk': {
    tag: 'Risk',
    summary: 'List the risk limits of all accounts',
    query: noQuery,
    answers: {
      200: {
        description: 'The limits of every account, the primary one first',
        schema: riskSettingsListEnvelope,
        examples: { 'one account': exampleAnswer({ accounts: [LIMITS] }) },
      },
    },
    errors: [],
  },
  'GET /api/v1/settings/risk/:accountId': {
    tag: 'Risk',
    summary: 'Show the risk limits of an account',
    path: accountPath,
    answers: riskAnswer('The limits of the account', LIMITS),
    errors: ['ACCOUNT_NOT_FOUND'],
  },
  'PUT /api/v1/settings/risk/:accountId': {
    tag: 'Risk',
    summary: 'Replace the risk limits of an account',
    description: `A limit that is left out has its default again; null switches it off. It binds the next order that is sent, also of signals that wait. ${LOOSENING}`,
    path: accountPath,
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
    summary: 'Give every risk limit of an account its default again',
    description: LOOSENING,
    path: accountPath,
    answers: riskAnswer('The defaults', presentRiskSettings(ACCOUNT_ID, {})),
    errors: ['ACCOUNT_NOT_FOUND', 'VERIFICATION_REQUIRED'],
  },
  'GET /api/v1/settings/halts': {
    tag: 'Risk',
    summary: 'List the halts that bind the caller, then those that were lifted',
    query: haltListQuery,
    answers: {
      200: {
        description: 'Halts of everybody, of the user and of accounts; the standing ones first',
        schema: haltListEnvelope,
        examples: { 'one halt': exampleAnswer({ halts: [HALT] }) },
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
    path: accountPath,
    body: haltBody,
    answers: haltAnswerOf(THROWN, HALT),
    errors: ['ACCOUNT_NOT_FOUND', 'VERIFICATION_REQUIRED'],
  },
  'DELETE /api/v1/settings/halt/:accountId': {
    tag: 'Risk',
    summary: 'Lift the halt of one account',
    path: accountPath,
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
}
