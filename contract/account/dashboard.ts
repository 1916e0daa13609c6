import { PERFORMANCE_PERIODS } from '#domain/account/performance-period.ts'
import { z } from 'zod'
import { localDate } from '../values/instants.ts'
import { oneOf, uuid, symbol } from '../values/values.ts'
import { endpoints } from '../endpoint.ts'

const balanceHistoryQuery = z
  .strictObject({
    accountId: uuid().optional(),
    from: localDate().optional(),
    to: localDate().optional(),
  })
  .check(({ value: { from, to }, issues }) => {
    if (from !== undefined && to !== undefined && from > to)
      issues.push({ code: 'custom', path: ['to'], message: 'must not be earlier than from', input: to })
  })

const equityTodayQuery = z.strictObject({ accountId: uuid().optional() })

const performanceQuery = z.strictObject({ period: oneOf(PERFORMANCE_PERIODS).default('1M') })

export const tradeStatisticsQuery = z
  .strictObject({
    period: oneOf(PERFORMANCE_PERIODS).optional(),
    from: localDate().optional(),
    to: localDate().optional(),
    accountId: uuid().optional(),
    strategyId: uuid().optional(),
    symbol: symbol().optional(),
  })
  .check(({ value: { period, from, to }, issues }) => {
    if (from !== undefined && to !== undefined && from > to)
      issues.push({ code: 'custom', path: ['to'], message: 'must not be earlier than from', input: to })
    if (period !== undefined && (from !== undefined || to !== undefined))
      issues.push({
        code: 'custom',
        path: ['period'],
        message: 'takes the place of from and to: send only one of them',
        input: period,
      })
  })

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

const SUMMARY: DashboardSummary = {
  equity: 100250.5,
  cashBalance: 81900,
  buyingPower: 181950.5,
  marketValue: 18350.5,
  dayPnl: 250.5,
  dayPnlPercent: 0.2505,
  unrealisedPnl: 250.5,
  realisedPnl: 1240.55,
  realisedToday: 120,
  wholeToday: 0,
  openToday: 130.5,
  accounts: 1,
  openPositions: 2,
  openOrders: 1,
  pendingSignals: 0,
  scheduledSignals: 3,
  executedToday: 31,
  refusedToday: 2,
  mode: 'PAPER',
  asOf: '2026-03-02T14:30:05.000Z',
}

const BALANCES: BalanceHistory = {
  accountId: null,
  mode: 'PAPER',
  points: [
    { date: '2026-02-26', equity: 99800, cashBalance: 99800, carriedForward: 0 },
    { date: '2026-02-27', equity: 100000, cashBalance: 81900, carriedForward: 0 },
  ],
}

const PERFORMANCE: AccountPerformance = {
  period: '1M',
  from: '2026-02-02',
  to: '2026-03-02',
  mode: 'PAPER',
  accounts: [
    {
      accountId: '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f',
      name: 'Paper account',
      firstDay: '2026-02-02',
      lastDay: '2026-02-27',
      returnPercent: 2.5,
      realisedPnl: 1240.55,
      maxDrawdownPercent: 1.2048,
      sharpe: 1.8731,
      trades: 19,
      winRate: 57.8947,
      profitFactor: 1.6204,
      bestTrade: {
        tradeId: '9a4e6c1d-2b3f-4c5a-8d7e-6f5a4b3c2d1e',
        symbol: 'AAPL',
        side: 'LONG',
        realisedPnl: 410.2,
        exitAt: '2026-02-18T20:45:02.310Z',
      },
      worstTrade: {
        tradeId: '0d9c8b7a-6f5e-4d3c-9b2a-1f0e9d8c7b6a',
        symbol: 'TSLA',
        side: 'SHORT',
        realisedPnl: -188.75,
        exitAt: '2026-02-11T15:02:41.007Z',
      },
    },
  ],
}

export const dashboardEndpoints = endpoints({
  'GET /api/v1/dashboard/summary': {
    tag: 'Dashboard',
    summary: 'Sum up the accounts of the trading mode',
    description:
      'In the mode PAPER the active demo accounts are summed up, in the mode LIVE the active live ones. Balances are those last copied from the broker; deposits and withdrawals of the day are part of its profit or loss.',
    answers: {
      200: {
        description: 'The sums; 0, or null where that would say too much, without any account',
        schema: dashboardSummaryAnswer,
        examples: { 'one paper account': SUMMARY },
      },
    },
    errors: [],
  },
  'GET /api/v1/dashboard/balance-history': {
    tag: 'Dashboard',
    summary: 'List the balances with which the days of the exchange ended',
    description:
      'For one account, or for all accounts of the trading mode together. Balances are recorded after each close; a day without known balances is absent. In the sum of several accounts, an account without known balances for a day counts with those of its day before, and `carriedForward` is the number of such accounts. `from` and `to` are days of the exchange, both included.',
    query: balanceHistoryQuery,
    answers: {
      200: {
        description: 'The days, oldest first; none before the first close',
        schema: balanceHistoryAnswer,
        examples: { 'two days': BALANCES },
      },
    },
    errors: ['ACCOUNT_NOT_FOUND'],
  },
  'GET /api/v1/dashboard/equity-today': {
    tag: 'Dashboard',
    summary: 'List the equity of this day of the exchange, every five minutes',
    description:
      'The equity that the broker reported when accounts were synchronised, at most one reading in five minutes. In the sum of several accounts each counts with its last reading, and before that with the equity with which its day began.',
    query: equityTodayQuery,
    answers: {
      200: {
        description: 'The readings, oldest first',
        schema: equityTodayAnswer,
        examples: {
          'two readings': {
            accountId: null,
            mode: 'PAPER',
            dayStartEquity: 100000,
            points: [
              { at: '2026-03-02T14:30:00.000Z', equity: 100120.5 },
              { at: '2026-03-02T14:35:00.000Z', equity: 100250.5 },
            ],
          },
        },
      },
    },
    errors: ['ACCOUNT_NOT_FOUND'],
  },
  'GET /api/v1/dashboard/account-performance': {
    tag: 'Dashboard',
    summary: 'Get the performance of each account of the trading mode in a period',
    description:
      'Return, drawdown and Sharpe ratio come from the equity at the end of each day, so that the day that is on does not count yet; the other figures from the trades that were closed in the period. Brokers do not say why a balance changed: deposits count as gain and withdrawals as loss.',
    query: performanceQuery,
    answers: {
      200: {
        description: 'The active accounts, the primary one first',
        schema: accountPerformanceAnswer,
        examples: { 'one month': PERFORMANCE },
      },
    },
    errors: [],
  },
})
