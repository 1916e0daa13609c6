import type { Position } from '#client/types.ts'

export const SIDES = { LONG: 'long', SHORT: 'short' } as const satisfies Record<Position['side'], string>

/** Dollars that closing the shares brings or costs, and the gain; before fees. */
export function worthOf(
  { side, avgCost }: Position,
  shares: number,
  price: number,
): { value: number; gain: number } {
  const each = side === 'LONG' ? price - avgCost : avgCost - price
  return { value: shares * price, gain: shares * each }
}
