import { setCurrentDetails } from '@temporalio/workflow'
import type { OrderReport } from '#domain/order/order.ts'
import type { SignalStatus, SignalTerms } from '#domain/signal/signal.ts'
import type { StatusReason } from '#domain/risk/denial.ts'
import { describeEntry, describeExit } from '../steps/describe.ts'

export interface OperatorView {
  terms: SignalTerms
  status: SignalStatus
  reason: StatusReason | null
  detail: string | null
  waitsFor: string | null
  until: string | null
  orders: readonly OrderReport[]
}

/** Shows the run in Temporal's UI, without history events. */
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
      // Markdown would join the list to the paragraph otherwise.
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
