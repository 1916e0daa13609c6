import type { AlertNotice } from '#domain/alert.ts'
import { compare, isPositive } from '#domain/decimal.ts'
import { parseClientOrderId, type OrderReport } from '#domain/order.ts'
import type { ReopenState } from '#workflows/signal/contract.ts'

export type LateReport =
  /** The signal knew fewer fills, and needs an exit for the rest. */
  { what: 'reopen'; reopenState: ReopenState } | { what: 'alert'; notice: AlertNotice } | { what: 'nothing' }

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

const wantsExit = ({ terms, resumeState }: ReopenState): boolean =>
  (terms.exit !== null || terms.protection !== undefined) && resumeState.exit.cancelledBy === null

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
