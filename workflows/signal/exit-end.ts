import { add, isPositive, type Decimal } from '#domain/decimal.ts'
import { unprotectedQuantity, type ExitProgress } from '#domain/exit-progress.ts'
import { figure, sharesOf } from '#domain/figures.ts'
import type { ExitStatus } from '#domain/exit.ts'
import type { OrderReport } from '#domain/order.ts'

/** How an exit ended. */
export interface ExitEnd {
  status: ExitStatus
  reason: string | null
  message: string
  /** Shares for which no further exit follows; null when there are none. */
  unprotected: Decimal | null
}

/**
 * Sums up the exit orders of a signal.
 *
 * @param reportOf the last that is known of one of them, by its client order id
 */
export function describeExitEnd(
  exit: ExitProgress,
  reportOf: (clientOrderId: string) => OrderReport,
): ExitEnd {
  const orders = exit.ended.map(reportOf)
  const filled = orders.reduce((sum, { filledQuantity }) => add(sum, filledQuantity), '0')
  const unprotected = unprotectedQuantity(exit, (id) => reportOf(id).filledQuantity)
  if (unprotected === null) {
    if (!isPositive(filled))
      return {
        status: 'cancelled',
        reason: 'POSITION_ALREADY_CLOSED',
        message: 'The position was closed before the exit was due; no exit order was needed',
        unprotected,
      }
    const fills = orders
      .filter(({ filledQuantity }) => isPositive(filledQuantity))
      .map(
        ({ filledQuantity, avgFillPrice }) => `${figure(filledQuantity)} at ${figure(avgFillPrice ?? '0')}`,
      )
    return {
      status: 'filled',
      reason: null,
      message: `The exit is filled: ${fills.join(', then ')}`,
      unprotected,
    }
  }
  const rest = `closed ${sharesOf(filled, add(filled, unprotected))}; the rest has no exit`
  const { status, reason: why } = reportOf(exit.uncovered.at(-1)!.clientOrderId)
  const reason = `The exit order ended ${status}${why ? `: ${why}` : ''}`
  return isPositive(filled)
    ? { status: 'partially_filled', reason, message: `The exit order ended early: ${rest}`, unprotected }
    : {
        status: 'cancelled',
        reason,
        message: `The exit order ended without a fill: ${rest}`,
        unprotected,
      }
}
