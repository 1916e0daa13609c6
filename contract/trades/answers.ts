import { TRADE_SIDES } from '#domain/profit.ts'
import { TRADE_STATUSES } from '#domain/round-trips.ts'
import { z } from 'zod'
import { pagingAnswer } from '../values/query.ts'

const tradeAnswer = z
  .strictObject({
    id: z.uuid().describe('Stays the same when the trade is closed'),
    accountId: z.uuid(),
    symbol: z.string(),
    side: z.enum(TRADE_SIDES).describe('LONG was bought first, SHORT was sold first'),
    status: z.enum(TRADE_STATUSES),
    quantity: z.number().describe('Shares'),
    entryPrice: z.number().describe('Dollars a share, on average'),
    exitPrice: z.number().nullable().describe('Null while open'),
    entryAt: z.iso.datetime().describe('When the first of its shares was opened'),
    exitAt: z.iso.datetime().nullable().describe('When the last of its shares was closed; null while open'),
    realisedPnl: z.number().nullable().describe('After fees; null while open'),
    realisedPnlPercent: z
      .number()
      .nullable()
      .describe('Of what the entry was worth; null while open, and where it was worth nothing'),
    fees: z.number().describe('Paid so far for its part of all fills; a broker may book some a day later'),
    strategyId: z.uuid().nullable(),
    signalId: z.uuid().nullable().describe('The signal whose shares these are; null for shares of none'),
    entryOrderIds: z.array(z.uuid()).describe('Empty where the order was not placed through this service'),
    exitOrderIds: z.array(z.uuid()),
  })
  .meta({ id: 'Trade' })

const openTradeAnswer = z
  .strictObject({
    ...tradeAnswer.shape,
    currentPrice: z.number().nullable().describe('Dollars a share; null when the broker has told none yet'),
    unrealisedPnl: z
      .number()
      .nullable()
      .describe('What closing it at the current price would bring, after the fees paid so far'),
    unrealisedPnlPercent: z.number().nullable(),
  })
  .meta({ id: 'OpenTrade' })

export const tradeListAnswer = z.strictObject({ trades: z.array(tradeAnswer), ...pagingAnswer })
export const tradeTotalsAnswer = z.strictObject({
  trades: z.int(),
  open: z.int().describe('Trades that are not closed yet'),
  wins: z.int().describe('Closed trades with a profit'),
  realisedPnl: z.number().describe('Dollars, after fees, of the closed ones'),
  fees: z.number().describe('Dollars, of all of them so far'),
})
export const tradeDetailAnswer = z.strictObject({ trade: tradeAnswer })
export const openTradeListAnswer = z.strictObject({ trades: z.array(openTradeAnswer), ...pagingAnswer })

export type TradeAnswer = z.output<typeof tradeAnswer>
export type OpenTradeAnswer = z.output<typeof openTradeAnswer>
