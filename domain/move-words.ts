import { figure, dollarAmount, shareCount } from './figures.ts'
import type { Size, SizedMove } from './signal.ts'

export function sizeBefore({ quantity, quantityType }: Size): string {
  switch (quantityType) {
    case 'fixed':
      return figure(quantity)
    case 'percentEquity':
      return `${figure(quantity)}% of equity in`
    case 'dollarAmount':
      return `${dollarAmount(quantity)} of`
    case 'riskPercent':
    case 'riskDollars':
    case 'percentPosition':
      return `${sizeInWords({ quantity, quantityType })} in`
  }
}

export function sizeInWords({ quantity, quantityType }: Size): string {
  switch (quantityType) {
    case 'fixed':
      return shareCount(quantity)
    case 'percentEquity':
      return `${figure(quantity)}% of equity`
    case 'dollarAmount':
      return dollarAmount(quantity)
    case 'riskPercent':
      return `${figure(quantity)}% of equity at risk`
    case 'riskDollars':
      return `${dollarAmount(quantity)} at risk`
    case 'percentPosition':
      return `${figure(quantity)}% of the position`
  }
}

/** "Sell 10 AAPL, by what is held", "Close 50% of AAPL", "Close the short position in AAPL". */
export function moveInWords(symbol: string, move: SizedMove): string {
  if (move.kind === 'trade')
    return `${move.direction === 'buy' ? 'Buy' : 'Sell'} ${sizeBefore(move)} ${symbol}, by what is held`
  const { part, side } = move
  const what = side === null ? symbol : `the ${side.toLowerCase()} position in ${symbol}`
  if (part === null) return `Close ${what}`
  return `Close ${'percent' in part ? `${figure(part.percent)}%` : shareCount(part.shares)} of ${what}`
}
