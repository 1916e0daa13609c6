import type { Bar, Quote } from '#brokers/port.ts'
import { isPositive, round, subtract } from '#domain/decimal.ts'
import { percentOf } from '#domain/performance.ts'
import { numberOut } from '../http/presentation.ts'
import type { BarAnswer, QuoteAnswer } from './answers.ts'

/** A quote, with what the day has brought so far. */
export function presentQuote({ symbol, bid, ask, last, at, previousClose }: Quote): QuoteAnswer {
  const change = last === null || previousClose === null ? null : subtract(last, previousClose)
  const isMeasurable = change !== null && previousClose !== null && isPositive(previousClose)
  return {
    symbol,
    bid: numberOut(bid),
    ask: numberOut(ask),
    last: numberOut(last),
    at,
    previousClose: numberOut(previousClose),
    dayChange: numberOut(change),
    dayChangePercent: isMeasurable ? numberOut(round(percentOf(change, previousClose), 2)) : null,
  }
}

export const presentBar = (bar: Bar): BarAnswer => ({
  at: bar.at,
  open: numberOut(bar.open),
  high: numberOut(bar.high),
  low: numberOut(bar.low),
  close: numberOut(bar.close),
  volume: numberOut(bar.volume),
})
