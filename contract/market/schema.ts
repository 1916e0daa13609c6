import { BAR_TIMEFRAMES } from '#domain/lists.ts'
import { z } from 'zod'
import { utcInstant } from '../values/instants.ts'
import { oneOf, symbol, uuid } from '../values/values.ts'

export const MAX_SYMBOLS = 50

export const symbolList = () =>
  z
    .string({ error: 'must be given once, several separated by commas' })
    .transform((text) => text.split(','))
    .pipe(z.array(symbol()).min(1).max(MAX_SYMBOLS, `must name at most ${MAX_SYMBOLS} symbols`))
    .transform((symbols) => [...new Set(symbols)])

const accountId = uuid().optional().describe('Whose broker is asked; the first account without it')

export const quotesQuery = z.strictObject({
  symbols: symbolList().describe('Separated by commas'),
  accountId,
})

export const sessionsQuery = z.strictObject({ accountId })

export const barsQuery = z
  .strictObject({
    symbol: symbol(),
    timeframe: oneOf(BAR_TIMEFRAMES),
    from: utcInstant(),
    to: utcInstant().optional().describe('Now without it'),
    accountId,
  })
  .check(({ value: { from, to }, issues }) => {
    if (to !== undefined && from >= to)
      issues.push({ code: 'custom', path: ['to'], message: 'must be later than from', input: to })
  })
