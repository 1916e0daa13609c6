import type { SignalRecord } from '#db/watch/unfinished-work.ts'
import { add, isPositive, subtract, type Decimal } from '#domain/decimal.ts'
import { afterEarlyEnd } from '#domain/exit.ts'
import { clientOrderIdFor, isTerminal, isWorking } from '#domain/order.ts'
import type { ResumeState, ExitProgress } from '#workflows/signal/contract.ts'

/** The kept size of an exit, see `activities/size-exit.ts`. */
interface KeptSize {
  quantity: Decimal
  coversQuantity: Decimal
}

/**
 * The state with which the workflow of a signal goes on that was lost, from what the ledger holds; null when it begins
 * at the beginning. It may be a step behind what the lost workflow had done: every step may be repeated, and the
 * decisions and client order ids are the same.
 *
 * @param now UTC instant
 */
export function resumeStateOf(record: SignalRecord, now: string): ResumeState | null {
  const { signal, orders, exitCancelledBy } = record
  const isHeld = signal.status === 'pending' && signal.executeMode !== 'pending'
  const beginsAnew =
    (signal.status === 'pending' && !isHeld) ||
    signal.status === 'scheduled' ||
    (signal.status === 'queued' && signal.executeMode === 'immediate')
  if (beginsAnew) return null
  const isSent = orders.some(({ report }) => report.clientOrderId === clientOrderIdFor(signal.id, 'entry', 1))
  const isEntering = isHeld || signal.status === 'queued' || signal.status === 'transmitted' || !isSent
  const { exit, cancelledBy, hasBegun } = exitProgress(record)
  const cancel = record.cancels.findLast(({ clientOrderId }) =>
    orders.some(({ report }) => report.clientOrderId === clientOrderId && isWorking(report.status)),
  )
  const waits = hasBegun && exit.workingOrder === null && record.exitDueAt !== null && record.exitDueAt > now
  return {
    phase: isHeld ? 'waiting' : isEntering ? 'checking' : hasBegun ? 'exiting' : 'working',
    status: signal.status,
    orderId: isEntering ? null : (signal.orderId ?? null),
    reason: signal.statusReason ?? null,
    detail: signal.statusDetail ?? null,
    reports: isEntering ? [] : orders,
    entryEndedAt: null,
    exitCancelledBy: exitCancelledBy ?? cancelledBy,
    exit: waits ? { ...exit, notBefore: record.exitDueAt } : exit,
    closings: record.closings,
    ...(cancel && { orderCancel: cancel }),
  }
}

/** How far the exit has come: the story of `workflows/signal/exit.ts` told from the kept sizes and the exit orders. */
function exitProgress({ signal, orders, decisions, cancels }: SignalRecord): {
  exit: ExitProgress
  cancelledBy: string | null
  hasBegun: boolean
} {
  const exit: ExitProgress = {
    generation: 1,
    coveredQuantity: '0',
    workingOrder: null,
    ended: [],
    uncovered: null,
    failures: 0,
    notBefore: null,
  }
  let cancelledBy: string | null = null
  const sizeOf = (generation: number): KeptSize | null => {
    const kept = decisions[`exit-${generation}`] as KeptSize | { stopped: true } | undefined
    return kept === undefined || 'stopped' in kept ? null : kept
  }
  for (let size = sizeOf(1); size !== null; size = sizeOf(exit.generation)) {
    const clientOrderId = clientOrderIdFor(signal.id, 'exit', exit.generation)
    const order = orders.find(({ report }) => report.clientOrderId === clientOrderId)?.report
    // Sent or not, that is found out under the same id; unless a later one shows that it was refused.
    if (!order && isPositive(size.quantity) && sizeOf(exit.generation + 1) === null) break
    exit.generation += 1
    if (!order) {
      if (!isPositive(size.quantity)) exit.coveredQuantity = add(exit.coveredQuantity, size.coversQuantity)
      continue
    }
    const { quantity, coversQuantity } = size
    if (!isTerminal(order.status)) {
      exit.workingOrder = { clientOrderId, quantity, coversQuantity }
      continue
    }
    exit.ended = [...exit.ended, clientOrderId]
    const rest = subtract(quantity, order.filledQuantity)
    const cancel = cancels.find((asked) => asked.clientOrderId === clientOrderId)
    if (!isPositive(rest)) exit.coveredQuantity = add(exit.coveredQuantity, coversQuantity)
    else if (cancel && order.status === 'CANCELLED') cancelledBy = cancel.by
    else if (signal.exitRule && afterEarlyEnd(signal.exitRule, order.status) === 'uncovered') {
      exit.coveredQuantity = add(exit.coveredQuantity, coversQuantity)
      exit.uncovered = { quantity: add(exit.uncovered?.quantity ?? '0', rest), clientOrderId }
    } else exit.coveredQuantity = add(exit.coveredQuantity, subtract(coversQuantity, rest))
  }
  return { exit, cancelledBy, hasBegun: sizeOf(1) !== null }
}
