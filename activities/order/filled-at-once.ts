import { isPositive } from '#domain/decimal.ts'
import { exitAtEnd, exitBegins } from '#domain/exit-progress.ts'
import { filledMessage } from '#domain/entry-end.ts'
import { isTerminal, type OrderReport } from '#domain/order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { progressEntry } from '#domain/timeline.ts'
import type { ReopenState } from '#workflows/signal/contract.ts'
import type { SignalEndInput } from '../contract.ts'

/** As the workflow would record it: the attempt does so instead, for a signal without exit and target. */
export function endOfFilled(
  terms: SignalTerms,
  report: OrderReport,
  orderId: string,
  now: string,
): SignalEndInput | null {
  // Another signal may have to go on to a target.
  if (
    terms.exit !== null ||
    terms.protection !== undefined ||
    terms.target !== undefined ||
    !isTerminal(report.status) ||
    !isPositive(report.filledQuantity)
  )
    return null
  const { clientOrderId, filledQuantity } = report
  return {
    signalId: terms.signalId,
    at: noEarlierThan(progressEntry(report, report.submittedAt).at, now),
    message: filledMessage(report),
    acknowledges: [{ clientOrderId, filledQuantity }],
    exit: null,
    rejected: false,
    unprotected: null,
    closing: 1,
    reopenState: reopenState(terms, report, orderId, now),
  }
}

/** A broker's clock may be ahead of ours, and finer; the end comes after the fill. */
const noEarlierThan = (at: string, now: string): string => (Date.parse(at) < Date.parse(now) ? now : at)

/** See `reopenState` of the workflow: a test compares both. */
const reopenState = (
  terms: SignalTerms,
  report: OrderReport,
  orderId: string,
  newsAt: string,
): ReopenState => ({
  terms,
  resumeState: {
    phase: 'exiting',
    status: 'executed',
    orderId,
    reason: null,
    detail: null,
    reports: [{ report, newsAt }],
    exit: exitAtEnd(exitBegins()),
    closings: 1,
  },
})
