import { PERFORMANCE_PERIODS } from '#domain/performance-period.ts'
import { z } from 'zod'

const mode = z.enum(['PAPER', 'LIVE']).describe('The trading mode that the user is in')

export const dashboardSummaryAnswer = z.strictObject({
  equity: z.number(),
  cashBalance: z.number(),
  buyingPower: z.number(),
  marketValue: z.number(),
  dayPnl: z
    .number()
    .nullable()
    .describe(
      'Change of the equity since the day of the exchange began, of the accounts that were seen to begin it; null without one',
    ),
  dayPnlPercent: z.number().nullable().describe('In percent of the equity with which the day began'),
  unrealisedPnl: z.number(),
  realisedPnl: z.number(),
  realisedToday: z
    .number()
    .describe(
      'After fees, of the trades that were closed today: since the last close, or since the purchase where that was later or the close is not known',
    ),
  wholeToday: z
    .int()
    .describe(
      'Trades that count in it since a purchase before today, because the last close of their symbol is not known',
    ),
  openToday: z
    .number()
    .nullable()
    .describe(
      'What is held has gained today: since the last close, or since the purchase where that was later; null when that is not known of every position',
    ),
  accounts: z.int(),
  openPositions: z.int(),
  openOrders: z.int(),
  pendingSignals: z.int().describe('Signals that wait for a person'),
  scheduledSignals: z.int().describe('Signals that wait for their time'),
  executedToday: z.int().describe('Signals of this day of the exchange that were executed'),
  refusedToday: z
    .int()
    .describe(
      'Signals of this day of the exchange that a rule or the broker refused, or that were not placed; without those that a person declined',
    ),
  mode,
  asOf: z.iso
    .datetime()
    .nullable()
    .describe(
      'When the balances were copied from the broker, the oldest among them; null when none ever was',
    ),
})

export const balanceHistoryAnswer = z.strictObject({
  accountId: z.uuid().nullable().describe('Null for the accounts of the trading mode together'),
  mode,
  points: z.array(
    z.strictObject({
      date: z.iso.date().describe('Day of the exchange'),
      equity: z.number(),
      cashBalance: z.number(),
      carriedForward: z
        .int()
        .describe(
          'Accounts in the sum with the balances of an earlier day, because those of this day are not known',
        ),
    }),
  ),
})

export const equityTodayAnswer = z.strictObject({
  accountId: z.uuid().nullable().describe('Null for the active accounts of the trading mode together'),
  mode,
  dayStartEquity: z
    .number()
    .nullable()
    .describe('With which the day of the exchange began; null where that was not seen'),
  points: z.array(z.strictObject({ at: z.iso.datetime(), equity: z.number() })),
})

const notableTrade = z
  .strictObject({
    tradeId: z.uuid(),
    symbol: z.string(),
    side: z.enum(['LONG', 'SHORT']),
    realisedPnl: z.number().describe('Dollars, after fees'),
    exitAt: z.iso.datetime(),
  })
  .nullable()

export const accountPerformanceAnswer = z.strictObject({
  period: z.enum(PERFORMANCE_PERIODS),
  from: z.iso
    .date()
    .nullable()
    .describe('Day of the exchange at whose end the period begins; null for as far as anything is known'),
  to: z.iso.date(),
  mode,
  accounts: z.array(
    z.strictObject({
      accountId: z.uuid(),
      name: z.string(),
      firstDay: z.iso.date().nullable().describe('The day whose closing equity the others are compared with'),
      lastDay: z.iso.date().nullable().describe('The last day whose closing equity is known'),
      returnPercent: z.number().nullable().describe('Null with fewer than two days'),
      realisedPnl: z.number().describe('Dollars, after fees, of the trades closed in the period'),
      maxDrawdownPercent: z
        .number()
        .nullable()
        .describe('Deepest fall below an earlier high, in percent of it; null with fewer than two days'),
      sharpe: z
        .number()
        .nullable()
        .describe(
          'Of the daily returns, annualised by √252, risk-free rate 0; null with fewer than two returns',
        ),
      trades: z.int().describe('Round trips closed in the period'),
      winRate: z.number().nullable().describe('Percent of the trades with a profit; null without any trade'),
      profitFactor: z
        .number()
        .nullable()
        .describe('Dollars won for each dollar lost; null when nothing was lost'),
      bestTrade: notableTrade,
      worstTrade: notableTrade,
    }),
  ),
})

export type DashboardSummary = z.output<typeof dashboardSummaryAnswer>
export type BalanceHistory = z.output<typeof balanceHistoryAnswer>
export type AccountPerformance = z.output<typeof accountPerformanceAnswer>
