import { isPositive } from './decimal.ts'
import { figure, sharesOf } from './figures.ts'
import { isReducing, type OrderReport } from './order.ts'

export const filledMessage = ({ side, filledQuantity, quantity, avgFillPrice }: OrderReport): string =>
  `The ${isReducing(side) ? 'closing order' : 'entry'} is filled: ${sharesOf(filledQuantity, quantity)} at ${figure(avgFillPrice ?? '0')}`

export const endedEarlyMessage = (order: OrderReport): string =>
  ended(order, `with ${sharesOf(order.filledQuantity, order.quantity)} filled`)

export const endedUnfilledMessage = (order: OrderReport): string => ended(order, 'without a fill')

/** Of an order by hand. */
export function orderEndedMessage({
  filledQuantity,
  quantity,
  avgFillPrice,
  status,
  reason,
}: OrderReport): string {
  const filled = isPositive(filledQuantity)
    ? `${sharesOf(filledQuantity, quantity)} filled at ${figure(avgFillPrice ?? '0')}`
    : 'nothing filled'
  return `The order has ended ${status}, ${filled}${reason === null ? '' : ` (${reason})`}`
}

const ended = ({ side, status, reason }: OrderReport, how: string): string =>
  `The ${isReducing(side) ? 'closing' : 'entry'} order ended ${status} ${how}${reason === null ? '' : ` (${reason})`}`
