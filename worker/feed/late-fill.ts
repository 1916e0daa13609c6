import type { AlertNotice } from '#domain/alert.ts'
import { compare, isPositive } from '#domain/decimal.ts'
import { parseClientOrderId, type OrderReport } from '#domain/order.ts'
import type { ReopenState } from '#workflows/signal/contract.ts'

/** What is to be done about an order whose end or fill no workflow is left to be told of. */
export type LateReport =
  /** The signal had been filled less when it ended, and wants its exit for the rest. */
  | { what: 'reopen'; reopenState: ReopenState }
  /** Somebody has to know, and no exit follows. */
  | { what: 'alert'; notice: AlertNotice }
  /** The signal had taken it into account. */
  | { what: 'nothing' }

/** @param reopenState what the signal left behind when it ended; null when it has not ended as its code would have it */
export function judgeLateReport(report: OrderReport, reopenState: ReopenState | null): LateReport {
  const { clientOrderId, filledQuantity, symbol, side } = report
  const known = reopenState?.resumeState.reports.find((each) => each.report.clientOrderId === clientOrderId)
  const counted = known?.report.filledQuantity ?? '0'
  if (compare(filledQuantity, counted) <= 0) return { what: 'nothing' }
  const isEntry = parseClientOrderId(clientOrderId)?.role === 'entry'
  if (isEntry && reopenState && wantsExit(reopenState)) return { what: 'reopen', reopenState }
  const fill = `${side} ${filledQuantity} ${symbol}`
  return {
    what: 'alert',
    notice: {
      kind: 'fill_after_end',
      message: isEntry
        ? `The broker reported a fill of the entry after the signal had ended (${fill} in all, ${counted} of it known by then); no exit follows`
        : `The broker reported a fill of the exit after the signal had ended (${fill} in all, ${counted} of it known by then)`,
      data: { clientOrderId, filledQuantity, counted },
    },
  }
}

/** The signal had an exit that nobody has cancelled. */
const wantsExit = ({ terms, resumeState }: ReopenState): boolean =>
  terms.exit !== null && resumeState.exitCancelledBy === null

/** Of an order that a person placed: nothing follows, but they have to know that they hold what filled. */
export function judgeLateManualReport(report: OrderReport): LateReport {
  const { clientOrderId, filledQuantity, symbol, side } = report
  if (!isPositive(filledQuantity)) return { what: 'nothing' }
  return {
    what: 'alert',
    notice: {
      kind: 'fill_after_end',
      message: `The broker reported a fill of a manual order after the order had ended (${side} ${filledQuantity} ${symbol} in all)`,
      data: { clientOrderId, filledQuantity },
    },
  }
}
