import { figure, sharesOf } from './figures.ts'
import { isReducing, type OrderReport } from './order.ts'

/** How an entry has ended that filled, in words. */
export const filledMessage = ({ side, filledQuantity, quantity, avgFillPrice }: OrderReport): string =>
  `The ${isReducing(side) ? 'closing order' : 'entry'} is filled: ${sharesOf(filledQuantity, quantity)} at ${figure(avgFillPrice ?? '0')}`

/** How an entry has ended of which a part had filled, in words. */
export const endedEarlyMessage = (order: OrderReport): string =>
  ended(order, `with ${sharesOf(order.filledQuantity, order.quantity)} filled`)

/** How an entry has ended of which nothing had filled, in words. */
export const endedUnfilledMessage = (order: OrderReport): string => ended(order, 'without a fill')

const ended = ({ side, status, reason }: OrderReport, how: string): string =>
  `The ${isReducing(side) ? 'closing' : 'entry'} order ended ${status} ${how}${reason === null ? '' : ` (${reason})`}`
