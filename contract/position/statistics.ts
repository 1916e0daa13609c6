import { EXIT_WAYS } from '#domain/exit/look.ts'
import { PERFORMANCE_PERIODS, MAX_POINTS } from '#domain/account/performance-period.ts'
import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { tradeStatisticsQuery } from '../account/dashboard.ts'

const figures = {
  trades: z.int().describe('Closed trades'),
  wins: z.int(),
  losses: z.int().describe('Trades that brought exactly nothing are neither'),
  winRate: z.number().nullable().describe('Percent of the trades with a profit; null without any trade'),
  realisedPnl: z.number().describe('Dollars, after fees'),
  expectancy: z.number().nullable().describe('Dollars of an average trade; null without any'),
  profitFactor: z
    .number()
    .nullable()
    .describe('Dollars won for each dollar lost; null when nothing was lost'),
  fees: z.number().describe('Dollars'),
  bestTrade: z.number().nullable().describe('Dollars'),
  worstTrade: z.number().nullable().describe('Dollars'),
  averageHoldSeconds: z.number().nullable().describe('From the first entry to the last exit'),
}

const tradeFigures = z.strictObject(figures).meta({ id: 'TradeFigures' })

const group = <K extends z.ZodType>(key: K, what: string) =>
  z.array(z.strictObject({ key: key.describe(what), ...figures }))

export const tradeStatisticsAnswer = z.strictObject({
  mode: z.enum(['PAPER', 'LIVE']).describe('The trading mode that the user is in'),
  accountId: z.uuid().nullable().describe('Null for the accounts of the trading mode together'),
  period: z.enum(PERFORMANCE_PERIODS).nullable().describe('Null where days were asked for'),
  from: z.iso.date().nullable().describe('First day; null for as far as anything is known'),
  to: z.iso.date().nullable().describe('Last day; null for until now'),
  all: tradeFigures,
  maxDrawdown: z
    .number()
    .describe(
      'The largest fall, in dollars, of the sum of the results below its highest point until then, which is at least 0',
    ),
  sortino: z
    .number()
    .nullable()
    .describe(
      'Of the results of the days, annualised by √252, against 0; days of the exchange without a trade count as 0. Null without a day of loss',
    ),
  curve: z
    .array(
      z.strictObject({
        trade: z.int().describe('From 1, in the order in which they were closed'),
        at: z.iso.datetime(),
        total: z.number().describe('Dollars that this trade and those before it brought'),
        drawdown: z.number().describe('Dollars between that and its highest point until then'),
      }),
    )
    .describe(
      `After each trade; of many trades at most ${MAX_POINTS} points, with highs, lows and deepest falls among them`,
    ),
  days: z
    .array(
      z.strictObject({
        date: z.iso.date(),
        trades: z.int(),
        wins: z.int(),
        realisedPnl: z.number(),
      }),
    )
    .describe('Days on which trades were closed'),
  strategies: group(z.uuid().nullable(), 'Strategy; null for trades of none'),
  symbols: group(z.string(), 'Symbol'),
  hours: group(z.int(), 'Hour of the entry in New York, 0 to 23'),
  weekdays: group(z.int(), 'Day of the entry in New York, 1 for Monday to 7'),
  lengths: group(
    z.int(),
    'Seconds held: from this many on, and fewer than the next of 0, 300, 1800, 7200, 86400, 432000',
  ),
  exits: z
    .array(
      z.strictObject({
        key: z
          .enum(EXIT_WAYS)
          .describe(
            'How they ended. `time`: by the exit of their signal, at any price. `limit`, `stop`, `stopLimit`: by that exit, at the price that the signal asked for. `person`: by an order placed here by hand. `signal`: by another signal. `elsewhere`: by no order that was placed here',
          ),
        ...figures,
        exitFees: z.number().describe('Dollars, the part of the fees that was charged for closing them'),
        slippage: z
          .number()
          .nullable()
          .describe(
            'Dollars lost against a closing at the stop, or, for an exit at market, at the price when it was sent; below 0 where the closing was better. Null where it is known for no trade',
          ),
        compared: z.int().describe('Trades with a known slippage'),
      }),
    )
    .describe('Trades by how they ended'),
  senders: z
    .array(
      z.strictObject({
        sentBy: z.string().nullable().describe('As timelines name it; null where that was not written down'),
        signals: z.int().describe('Signals of the period whose order at market was filled'),
        medianSeconds: z
          .number()
          .describe('From when it was sent, due or approved, the last of these, until it was filled'),
        slowSeconds: z.number().describe('19 of 20 took no longer'),
        compared: z.int().describe('Those that waited for a person, when the price was noted as they came'),
        slippagePercent: z
          .number()
          .nullable()
          .describe('How much worse they were filled than at that price, on average; below 0 where better'),
      }),
    )
    .describe('The 20 senders with the most such signals'),
})

export type TradeStatisticsAnswer = z.output<typeof tradeStatisticsAnswer>

const FIGURES: TradeStatisticsAnswer['all'] = {
  trades: 2,
  wins: 1,
  losses: 1,
  winRate: 50,
  realisedPnl: 221.45,
  expectancy: 110.725,
  profitFactor: 2.1732,
  fees: 0.02,
  bestTrade: 410.2,
  worstTrade: -188.75,
  averageHoldSeconds: 9_840,
}

const STATISTICS: TradeStatisticsAnswer = {
  mode: 'PAPER',
  accountId: null,
  period: '1M',
  from: '2026-02-03',
  to: null,
  all: FIGURES,
  maxDrawdown: 188.75,
  sortino: 6.2116,
  curve: [
    { trade: 1, at: '2026-02-11T15:02:41.007Z', total: -188.75, drawdown: 188.75 },
    { trade: 2, at: '2026-02-18T20:45:02.310Z', total: 221.45, drawdown: 0 },
  ],
  days: [
    { date: '2026-02-11', trades: 1, wins: 0, realisedPnl: -188.75 },
    { date: '2026-02-18', trades: 1, wins: 1, realisedPnl: 410.2 },
  ],
  strategies: [{ key: null, ...FIGURES }],
  symbols: [{ key: 'AAPL', ...FIGURES }],
  hours: [{ key: 10, ...FIGURES }],
  weekdays: [{ key: 3, ...FIGURES }],
  lengths: [{ key: 7_200, ...FIGURES }],
  exits: [{ key: 'time', ...FIGURES, exitFees: 0.02, slippage: 1.2, compared: 2 }],
  senders: [
    {
      sentBy: 'TradingView',
      signals: 2,
      medianSeconds: 0.21,
      slowSeconds: 0.8,
      compared: 1,
      slippagePercent: 0.012,
    },
  ],
}

export const statisticsEndpoints = endpoints({
  'GET /api/v1/dashboard/trade-statistics': {
    tag: 'Dashboard',
    summary: 'Add up the trades that were closed in a period',
    description:
      'For one account, or for all accounts of the trading mode together: figures, the curve of the results, days, and the same figures by strategy, symbol, hour, weekday, length and way of exit, each with its count. The period is that of the closing: `period`, or days of the exchange, both included; without either, all known trades. The answer has the 100 strategies and the 100 symbols with the most trades.',
    query: tradeStatisticsQuery,
    answers: {
      200: {
        description: 'The figures; 0 or null, and no groups, without any trade',
        schema: tradeStatisticsAnswer,
        examples: { 'two trades': STATISTICS },
      },
    },
    errors: ['ACCOUNT_NOT_FOUND'],
  },
})
