import { gain, number } from '../words/figures.ts'

export interface Fill {
  at: string
  isBuy: boolean
  shares: number
}

export interface Result {
  at: string
  isBuy: boolean
  amount: number
}

/** Fills of one side within one bar. */
export interface Mark {
  /** The index of its bar. */
  bar: number
  isBuy: boolean
  /** Text such as "buy 40", "3 sells, 120 shares, +$40.00". */
  text: string
}

/** Index of the newest bar that begins no later than an instant; −1 before the first. Bars are in order. */
function barOf(starts: readonly number[], instant: string): number {
  const at = Date.parse(instant)
  let [low, high] = [0, starts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (starts[middle]! <= at) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Marks, one for each bar and side; fills before the first bar are omitted. */
export function marksOf(
  bars: readonly { at: string }[],
  fills: readonly Fill[],
  results: readonly Result[],
): Mark[] {
  const starts = bars.map(({ at }) => Date.parse(at))
  const keyOf = ({ at, isBuy }: { at: string; isBuy: boolean }) => barOf(starts, at) * 2 + Number(isBuy)
  const brought = Map.groupBy(results, keyOf)
  return [...Map.groupBy(fills, keyOf)]
    .filter(([key]) => key >= 0)
    .toSorted(([a], [b]) => a - b)
    .map(([key, group]) => {
      const isBuy = key % 2 === 1
      const shares = number(group.reduce((sum, fill) => sum + fill.shares, 0))
      const word = isBuy ? 'buy' : 'sell'
      const what = group.length === 1 ? `${word} ${shares}` : `${group.length} ${word}s, ${shares} shares`
      const closed = brought.get(key)
      const amount = closed?.reduce((sum, result) => sum + result.amount, 0)
      return {
        bar: Math.floor(key / 2),
        isBuy,
        text: amount === undefined ? what : `${what}, ${gain(amount)}`,
      }
    })
}
