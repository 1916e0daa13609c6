import type { Bar, Quote } from '#brokers/port.ts'
import { isPositive, round, subtract } from '#domain/decimal.ts'
import { percentOf } from '#domain/performance.ts'
import { toJsonNumber } from '../http/presentation.ts'
import type { BarAnswer, QuoteAnswer } from '#contract/market/answers.ts'

export function presentQuote({ symbol, bid, ask, last, at, previousClose }: Quote): QuoteAnswer {
  const change = last === null || previousClose === null ? null : subtract(last, previousClose)
  const isMeasurable = change !== null && previousClose !== null && isPositive(previousClose)
  return {
    symbol,
    bid: toJsonNumber(bid),
    ask: toJsonNumber(ask),
    last: toJsonNumber(last),
    at,
    previousClose: toJsonNumber(previousClose),
    dayChange: toJsonNumber(change),
    dayChangePercent: isMeasurable ? toJsonNumber(round(percentOf(change, previousClose), 2)) : null,
  }
}

export const presentBar = (bar: Bar): BarAnswer => ({
  at: bar.at,
  open: toJsonNumber(bar.open),
  high: toJsonNumber(bar.high),
  low: toJsonNumber(bar.low),
  close: toJsonNumber(bar.close),
  volume: toJsonNumber(bar.volume),
})
