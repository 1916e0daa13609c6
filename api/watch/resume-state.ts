import type { SignalRecord } from '#db/watch/unfinished-work.ts'
import { EXIT_TRIED_WITHIN, isExitAhead } from '#domain/exit.ts'
import { clientOrderIdFor, isWorking } from '#domain/order.ts'
import { addMinutes } from '#domain/wall-time.ts'
import type { ResumeState } from '#workflows/signal/contract.ts'
import { exitProgressOf } from './exit-progress.ts'

/**
 * The state with which the workflow of a signal goes on that was lost, from what the ledger holds; null when it begins
 * at the beginning. It may be a step behind what the lost workflow had done: every step may be repeated, and the
 * decisions and client order ids are the same.
 *
 * @param now UTC instant
 */
export function resumeStateOf(record: SignalRecord, now: string): ResumeState | null {
  const { signal, orders } = record
  const isHeld = signal.status === 'pending' && signal.executeMode !== 'pending'
  const beginsAnew =
    (signal.status === 'pending' && !isHeld) ||
    signal.status === 'scheduled' ||
    (signal.status === 'queued' && signal.executeMode === 'immediate')
  if (beginsAnew) return null
  const isSent = orders.some(({ report }) => report.clientOrderId === clientOrderIdFor(signal.id, 'entry', 1))
  const isEntering = isHeld || signal.status === 'queued' || signal.status === 'transmitted' || !isSent
  const { exit, cancelledBy, hasBegun } = exitProgressOf(record)
  const exitCancelledBy = record.exitCancelledBy ?? cancelledBy
  // After a late fill, which has opened the signal again and for which its exit is not planned yet.
  const isUnplanned = hasExitEnded(record) && exitCancelledBy === null
  const following = !hasBegun ? 'working' : isUnplanned ? 'awaitingExit' : 'exiting'
  const mayWait = following === 'exiting' && exit.workingOrder === null
  const due = mayWait && record.exitDueAt !== null && record.exitDueAt > now ? record.exitDueAt : null
  // What is due later than the next try of an exit waits for the time that the calendar gives, and is planned by it again.
  const isPlanned = due !== null && due > addMinutes(now, EXIT_TRIED_WITHIN)
  const cancel = record.cancels.findLast(({ clientOrderId }) =>
    orders.some(({ report }) => report.clientOrderId === clientOrderId && isWorking(report.status)),
  )
  return {
    phase: isHeld ? 'waiting' : isEntering ? 'checking' : isPlanned ? 'awaitingExit' : following,
    status: signal.status,
    orderId: isEntering ? null : (signal.orderId ?? null),
    reason: signal.statusReason ?? null,
    detail: signal.statusDetail ?? null,
    reports: isEntering ? [] : orders.map(({ report, newsAt }) => ({ report, newsAt })),
    entryEndedAt: null,
    exitCancelledBy,
    exit: due !== null && !isPlanned ? { ...exit, notBefore: due } : exit,
    closings: record.closings,
    ...(isPlanned && { plannedFor: due }),
    ...(cancel && { orderCancel: cancel }),
  }
}

/** Whether the exit has ended by the ledger. */
const hasExitEnded = ({ signal: { exitStatus } }: SignalRecord): boolean =>
  exitStatus != null && exitStatus !== 'submitted' && !isExitAhead(exitStatus)
