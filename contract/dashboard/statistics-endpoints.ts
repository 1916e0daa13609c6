import { endpoints } from '../endpoint.ts'
import { tradeStatisticsAnswer, type TradeStatisticsAnswer } from './statistics-answers.ts'
import { tradeStatisticsQuery } from './schema.ts'

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
      'Of one account, or of those of the trading mode together: figures, the curve of the results, days, and the same figures by strategy, symbol, hour, weekday, length and way of exit, each with its count. The period is that of the closing: `period`, or days of the exchange, both included; all that is known without either. Of strategies and of symbols the 100 with the most trades are told.',
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
