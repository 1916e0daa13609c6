import { isPositive } from '#domain/decimal.ts'
import { exitAtEnd, exitBegins } from '#domain/exit-progress.ts'
import { filledMessage } from '#domain/entry-end.ts'
import { isTerminal, type OrderReport } from '#domain/order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import { progressEntry } from '#domain/timeline.ts'
import type { SignalEndInput } from '../contract.ts'

/** As the workflow would record it: the attempt does so instead, for a signal without exit and target. */
export function endOfFilled(terms: SignalTerms, report: OrderReport, now: string): SignalEndInput | null {
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
    entryFilled: filledQuantity,
    progress: exitAtEnd(exitBegins()),
    hasLevels: false,
  }
}

/** A broker's clock may be ahead of ours, and finer; the end comes after the fill. */
const noEarlierThan = (at: string, now: string): string => (Date.parse(at) < Date.parse(now) ? now : at)
