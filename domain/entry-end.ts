import { figure, sharesOf } from './figures.ts'
import type { OrderReport } from './order.ts'

/** How an entry has ended that filled, in words. */
export const filledMessage = ({ filledQuantity, quantity, avgFillPrice }: OrderReport): string =>
  `The entry is filled: ${sharesOf(filledQuantity, quantity)} at ${figure(avgFillPrice ?? '0')}`

/** How an entry has ended of which a part had filled, in words. */
export const endedEarlyMessage = ({ filledQuantity, quantity, status, reason }: OrderReport): string =>
  `The entry order ended ${status} with ${sharesOf(filledQuantity, quantity)} filled${reason === null ? '' : ` (${reason})`}`
