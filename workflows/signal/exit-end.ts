import { add, isPositive, type Decimal } from '#domain/decimal.ts'
import { figure, sharesOf } from '#domain/figures.ts'
import type { ExitStatus } from '#domain/exit.ts'
import type { OrderReport } from '#domain/order.ts'

/** How an exit ended. */
export interface ExitEnd {
  status: ExitStatus
  reason: string | null
  message: string
}

/**
 * Sums up the exit orders of a signal.
 *
 * @param uncovered shares for which no further exit follows, and the order that ended without closing them
 */
export function describeExitEnd(
  orders: readonly OrderReport[],
  uncovered: { quantity: Decimal; order: OrderReport } | null,
): ExitEnd {
  const filled = orders.reduce((sum, { filledQuantity }) => add(sum, filledQuantity), '0')
  if (uncovered === null) {
    if (!isPositive(filled))
      return {
        status: 'cancelled',
        reason: 'POSITION_ALREADY_CLOSED',
        message: 'The position was closed before the exit was due; no exit order was needed',
      }
    const fills = orders
      .filter(({ filledQuantity }) => isPositive(filledQuantity))
      .map(
        ({ filledQuantity, avgFillPrice }) => `${figure(filledQuantity)} at ${figure(avgFillPrice ?? '0')}`,
      )
    return { status: 'filled', reason: null, message: `The exit is filled: ${fills.join(', then ')}` }
  }
  const rest = `closed ${sharesOf(filled, add(filled, uncovered.quantity))}; the rest has no exit`
  const { status, reason: why } = uncovered.order
  const reason = `The exit order ended ${status}${why ? `: ${why}` : ''}`
  return isPositive(filled)
    ? { status: 'partially_filled', reason, message: `The exit order ended early: ${rest}` }
    : { status: 'cancelled', reason, message: `The exit order ended without a fill: ${rest}` }
}
