import { decimal, isDecimal } from '#domain/money/decimal.ts'
import { isInTicks, notInTicks } from '#domain/money/price-tick.ts'
import { numberFault, plainNumber } from '../parts/amount.ts'

/** What is wrong with a price in dollars a share, or another figure; undefined for nothing, and for an empty one. */
export function figureFault(text: string, isPrice: boolean): string | undefined {
  const plain = plainNumber(text)
  if (!isPrice || !isDecimal(plain) || isInTicks(decimal(plain))) return numberFault(text)
  return `A price ${notInTicks(decimal(plain))}`
}
