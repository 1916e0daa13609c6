import { figure, sharesOf } from './figures.ts'
import type { OrderReport } from './order.ts'

/** How an entry has ended that filled, in words. */
export const filledMessage = ({ filledQuantity, quantity, avgFillPrice }: OrderReport): string =>
  `The entry is filled: ${sharesOf(filledQuantity, quantity)} at ${figure(avgFillPrice ?? '0')}`
