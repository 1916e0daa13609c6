import { endpoints, idOf } from '../endpoint.ts'
import { z } from 'zod'
import {
  riskSettingsAnswer,
  riskSettingsListAnswer,
  riskUsageAnswer,
  type RiskSettingsAnswer,
} from './answers.ts'
import { riskLimitsRequest } from './schema.ts'
import { EXAMPLE_ACCOUNT_ID } from '../examples.ts'

const DEFAULTS: RiskSettingsAnswer = {
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
    summary: 'Show how much of the risk limits of all accounts is used',
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
    summary: 'Show the risk limits of an account',
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
    summary: 'Give every risk limit of an account its default again',
    description: LOOSENING,
    path: { accountId: idOf('ACCOUNT_NOT_FOUND') },
    answers: riskAnswer('The defaults', DEFAULTS),
    errors: ['ACCOUNT_NOT_FOUND', 'VERIFICATION_REQUIRED'],
  },
})
