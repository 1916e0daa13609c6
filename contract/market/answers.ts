import { BAR_TIMEFRAMES } from '#domain/lists.ts'
import { z } from 'zod'

const price = () => z.number().nullable()

export const quoteAnswer = z
  .strictObject({
    symbol: z.string(),
    bid: price(),
    ask: price(),
    last: price().describe('The last trade'),
    at: z.iso.datetime().nullable().describe('When the last trade was'),
    previousClose: price().describe('Of the session before'),
    dayChange: price().describe('Dollars a share from the previous close to the last trade'),
    dayChangePercent: z.number().nullable(),
  })
  .meta({ id: 'Quote' })

export const quotesAnswer = z.strictObject({
  quotes: z.array(quoteAnswer).describe('Symbols that the broker does not know are absent'),
  accountId: z.uuid().describe('Whose broker was asked'),
  asOf: z.iso.datetime().describe('When the broker was asked'),
})

const barAnswer = z.strictObject({
  at: z.iso.datetime().describe('Where it begins'),
  open: z.number(),
  high: z.number(),
  low: z.number(),
  close: z.number(),
  volume: z.number().describe('Shares'),
})

export const barsAnswer = z.strictObject({
  symbol: z.string(),
  timeframe: z.enum(BAR_TIMEFRAMES),
  accountId: z.uuid().describe('Whose broker was asked'),
  bars: z.array(barAnswer).describe('Oldest first'),
  isComplete: z.boolean().describe('False when the period has older ones that are not shown'),
})

export const sessionsAnswer = z.strictObject({
  accountId: z.uuid().describe('Whose broker was asked'),
  timezone: z.string().describe('Of the dates; an IANA name'),
  sessions: z
    .array(z.strictObject({ date: z.iso.date(), opensAt: z.iso.datetime(), closesAt: z.iso.datetime() }))
    .describe('Of yesterday, today and two weeks ahead, in order; days without a session are absent'),
})

export type QuoteAnswer = z.output<typeof quoteAnswer>
export type BarAnswer = z.output<typeof barAnswer>
