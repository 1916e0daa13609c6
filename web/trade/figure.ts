import { decimal, isDecimal } from '#domain/money/decimal.ts'
import { isInTicks, notInTicks } from '#domain/money/price-tick.ts'
import { numberFault, plainNumber } from '../parts/amount.ts'

/** Fault of a price in dollars a share, or of another figure; undefined for none. */
export function figureFault(text: string, isPrice: boolean): string | undefined {
  const plain = plainNumber(text)
  if (!isPrice || !isDecimal(plain) || isInTicks(decimal(plain))) return numberFault(text)
  return `A price ${notInTicks(decimal(plain))}`
}
