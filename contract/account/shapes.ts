import { z } from 'zod'
import { proof } from '../identity/requests.ts'
import { oneOf } from '../values/values.ts'
import { HALT_LEVELS, HALT_SCOPES } from '#domain/risk/halt.ts'
import { flatByCloseAnswer } from '../values/flat-by-close.ts'

const TRADING_MODES = ['PAPER', 'LIVE'] as const
export type TradingMode = (typeof TRADING_MODES)[number]

export const modeSwitch = { mode: oneOf(TRADING_MODES), ...proof }

export const accountListQuery = z.strictObject({
  include: oneOf(['removed']).describe('Lists removed accounts too, which are not active').optional(),
})

export const restrictionsAnswer = z
  .array(z.string())
  .describe(
    'What the broker said at the last sync that the account may not do, a sentence each, such as that trading is blocked; empty where it may do all',
  )

export const accountAnswer = z
  .strictObject({
    id: z.uuid(),
    brokerId: z.uuid().describe('The connection that the account belongs to'),
    brokerAccountId: z.string(),
    name: z.string(),
    type: z.enum(['MARGIN', 'CASH', 'IRA']),
    currency: z.string(),
    equity: z.number(),
    cashBalance: z.number(),
    buyingPower: z.number(),
    isActive: z.boolean(),
    isDemo: z.boolean().describe('Trades on paper'),
    isPrimary: z.boolean(),
    flatByClose: flatByCloseAnswer,
    restrictions: restrictionsAnswer,
    lastSyncedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Account' })

export const accountDetailAnswer = z
  .strictObject({
    ...accountAnswer.shape,
    dayTradingBuyingPower: z.number().nullable().describe('Null where the broker does not report it'),
    marketValue: z.number(),
    unrealisedPnl: z.number(),
    realisedPnl: z.number(),
    broker: z.strictObject({ id: z.uuid(), brokerType: z.string(), status: z.enum(['connected', 'error']) }),
  })
  .meta({ id: 'AccountDetail' })

export const accountSummaryAnswer = z.strictObject({
  accountId: z.uuid(),
  name: z.string(),
  currency: z.string(),
  isDemo: z.boolean().describe('Trades on paper'),
  isActive: z.boolean(),
  isPrimary: z.boolean(),
  equity: z.number(),
  cashBalance: z.number(),
  buyingPower: z.number(),
  dayTradingBuyingPower: z.number().nullable(),
  marketValue: z.number(),
  dayPnl: z
    .number()
    .nullable()
    .describe(
      'Equity less the equity with which the exchange’s day began, deposits included; null when the service did not see it begin',
    ),
  dayPnlPercent: z.number().nullable(),
  unrealisedPnl: z.number(),
  realisedPnl: z.number(),
  openPositions: z.int(),
  openOrders: z.int(),
  exposure: z
    .strictObject({
      long: z.number(),
      short: z.number().describe('As a positive amount'),
      gross: z.number().describe('Long and short together'),
      net: z.number().describe('Long less short'),
      grossPercent: z.number().nullable().describe('Of the equity; null when there is none'),
    })
    .describe('Market values of the open positions'),
  broker: z.strictObject({
    id: z.uuid(),
    name: z.string(),
    brokerType: z.string(),
    status: z.enum(['connected', 'error']),
    statusDetail: z.string().nullable().describe('Why the status is error'),
    lastCheckedAt: z.iso.datetime().nullable(),
  }),
  halt: z
    .strictObject({ level: z.enum(HALT_LEVELS), scope: z.enum(HALT_SCOPES), reason: z.string().nullable() })
    .nullable()
    .describe('The most severe halt that binds the account; null when it may trade'),
  lastSyncedAt: z.iso.datetime().nullable(),
})

export const accountSyncAnswer = z.strictObject({
  success: z.literal(true),
  message: z.string(),
  syncedAt: z.iso.datetime().nullable().describe('Null while the sync is still running'),
})

export const accountSyncsAnswer = z.strictObject({
  success: z.boolean().describe('Nothing has gone wrong with any of them'),
  message: z.string(),
  accounts: z.array(
    z.strictObject({
      accountId: z.uuid(),
      success: z.boolean(),
      syncedAt: z.iso
        .datetime()
        .nullable()
        .describe('Null while the sync is still running, and when it failed'),
      error: z.string().exactOptional().describe('An error code, when it failed'),
      message: z.string().exactOptional(),
    }),
  ),
})

export const modeSwitchAnswer = z.strictObject({
  success: z.literal(true),
  mode: z.enum(TRADING_MODES),
  message: z.string(),
})

export const accountListAnswer = z.strictObject({ accounts: z.array(accountAnswer) })

export type AccountAnswer = z.output<typeof accountAnswer>
export type AccountDetailAnswer = z.output<typeof accountDetailAnswer>
export type AccountSummaryAnswer = z.output<typeof accountSummaryAnswer>
export type AccountSyncAnswer = z.output<typeof accountSyncAnswer>
export type AccountSyncsAnswer = z.output<typeof accountSyncsAnswer>
export type ModeSwitchAnswer = z.output<typeof modeSwitchAnswer>

export const ACCOUNT_EXAMPLE: AccountAnswer = {
  id: '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f',
  brokerId: '0b54a3c1-8d2f-4e67-b1a9-5f6e7d8c9b0a',
  brokerAccountId: 'PA3XY7Z9',
  name: 'Paper account',
  type: 'MARGIN',
  currency: 'USD',
  equity: 100250.5,
  cashBalance: 81900,
  buyingPower: 181950.5,
  isActive: true,
  isDemo: true,
  isPrimary: true,
  flatByClose: null,
  restrictions: [],
  lastSyncedAt: '2026-03-02T14:30:05.000Z',
}
