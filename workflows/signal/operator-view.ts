import { setCurrentDetails } from '@temporalio/workflow'
import type { OrderReport } from '#domain/order.ts'
import type { SignalStatus } from '#domain/signal-status.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { describeEntry, describeExit } from '../steps/describe.ts'

/** How a signal stands, for the page of its workflow in Temporal's UI. */
export interface OperatorView {
  terms: SignalTerms
  status: SignalStatus
  reason: string | null
  detail: string | null
  waitsFor: string | null
  until: string | null
  orders: readonly OrderReport[]
}

/** Tells in words what the signal is, where it stands, and what it waits for. Costs no history. */
export function showOperators({
  terms,
  status,
  reason,
  detail,
  waitsFor,
  until,
  orders,
}: OperatorView): void {
  const exit = describeExit(terms)
  setCurrentDetails(
    [
      `**${describeEntry(terms)}**${exit ? `, then ${exit}` : ''}`,
      // Markdown takes a list for part of the paragraph right above it.
      '',
      `- status: **${status}**${reason ? ` (${reason})` : ''}${detail ? `: ${detail}` : ''}`,
      waitsFor === null ? '- ended' : `- waits for ${waitsFor}${until ? `, until ${until}` : ''}`,
      ...orders.map(
        (order) =>
          `- order ${order.clientOrderId}: ${order.side} ${order.quantity} ${order.symbol}, ${order.status}, filled ${order.filledQuantity}` +
          (order.avgFillPrice ? ` at ${order.avgFillPrice}` : ''),
      ),
    ].join('\n'),
  )
}
