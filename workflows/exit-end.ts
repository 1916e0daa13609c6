import { add, compare, isPositive, type Decimal } from '#domain/decimal.ts'
import type { ExitStatus } from '#domain/exit.ts'
import type { OrderReport } from '#domain/order.ts'

/** An exit order that has ended, and the shares it was to close. */
export interface EndedExit {
  order: OrderReport
  quantity: Decimal
}

/** How an exit ended. */
export interface ExitEnd {
  status: ExitStatus
  reason: string | null
  /** Shares that the exit orders have closed. */
  filledQuantity: Decimal
  message: string
}

/** Sums up the exit orders of a signal; only the last of them may have ended early. */
export function describeExitEnd(exits: readonly EndedExit[]): ExitEnd {
  const last = exits.at(-1)
  if (!last)
    return {
      status: 'cancelled',
      reason: 'POSITION_ALREADY_CLOSED',
      filledQuantity: '0',
      message: 'The position was closed before the exit was due; no exit order was needed',
    }
  const filledQuantity = exits.reduce((sum, { order }) => add(sum, order.filledQuantity), '0')
  const end = { filledQuantity }
  if (compare(last.order.filledQuantity, last.quantity) >= 0) {
    const fills = exits.map(({ order }) => `${order.filledQuantity} at ${order.avgFillPrice}`)
    return {
      ...end,
      status: 'filled',
      reason: null,
      message: `The exit is filled: ${fills.join(', then ')}`,
    }
  }
  const wanted = exits.reduce((sum, { quantity }) => add(sum, quantity), '0')
  const rest = `${filledQuantity} of ${wanted} shares were closed; the rest has no exit`
  const { status, reason: why } = last.order
  const reason = `EXIT_${status}${why ? `: ${why}` : ''}`
  if (isPositive(filledQuantity))
    return { ...end, status: 'partially_filled', reason, message: `The exit order ended early: ${rest}` }
  return {
    ...end,
    status: status === 'REJECTED' ? 'failed' : 'cancelled',
    reason,
    message: `The exit order ended without a fill: ${rest}`,
  }
}
