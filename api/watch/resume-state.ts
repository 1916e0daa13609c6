import type { SignalRecord } from '#db/watch/unfinished-work.ts'
import { add, compare, isPositive, type Decimal } from '#domain/decimal.ts'
import type { ExitFor } from '#domain/exit.ts'
import {
  afterAcceptance,
  afterExitOrder,
  afterNothingToClose,
  endCause,
  exitBegins,
  isForOf,
  type CancelMarks,
  type ExitProgress,
  type ExitsAsked,
  type ExitSize,
} from '#domain/exit-progress.ts'
import {
  clientOrderIdFor,
  isTerminal,
  isWorking,
  parseClientOrderId,
  type OrderReport,
} from '#domain/order.ts'
import { UNPLACED_STATUSES, type SignalStatus } from '#domain/signal-status.ts'
import type { ResumeState } from '#workflows/signal/contract.ts'

/** Null when it begins at the beginning. It may be a step behind what the lost workflow had done: every step may be repeated. */
export function resumeStateOf(record: SignalRecord, now: string): ResumeState | null {
  const { signal, orders } = record
  const entryId = clientOrderIdFor(signal.id, 'entry', 1)
  const entry = orders.find(({ report }) => report.clientOrderId === entryId)
  const isHeld = signal.status === 'pending' && signal.executeMode !== 'pending'
  const beginsAnew =
    (signal.status === 'pending' && !isHeld) ||
    signal.status === 'scheduled' ||
    (signal.status === 'queued' && signal.executeMode === 'immediate')
  // An order that exists was decided: nobody is waited for, where the ledger was set back to a time before that.
  if (beginsAnew && !entry) return null
  const isEntering = !entry || isUnplaced(signal.status)
  const { phase, exit, plannedFor } = exitOf(record, entry?.report.filledQuantity ?? '0', now)
  const cancelled = orders.findLast(({ report, marks }) => marks.askedBy !== null && isWorking(report.status))
  const isFollowed = entry && isWorking(entry.report.status)
  return {
    phase: isHeld && !entry ? 'waiting' : isEntering ? 'checking' : isFollowed ? 'working' : phase,
    status: signal.status,
    orderId: isEntering ? null : (signal.orderId ?? null),
    reason: signal.statusReason ?? null,
    detail: signal.statusDetail ?? null,
    // The entry is looked up at its broker; the exits are known, where the ledger was set back since they were sent.
    reports: orders.flatMap((order) =>
      isEntering && order === entry ? [] : [{ report: order.report, newsAt: order.newsAt }],
    ),
    exit,
    closings: record.closings,
    ...(plannedFor !== null && { plannedFor }),
    ...(record.crossed && { crossed: record.crossed }),
    ...(record.planEndedBy !== null && { planEndedBy: record.planEndedBy }),
    // The workflow that is lost may have been told that another order was wanted.
    ...((signal.protection || isOfPlan(exit)) && { planMoved: true }),
    ...(cancelled && {
      orderCancel: { clientOrderId: cancelled.report.clientOrderId, by: cancelled.marks.askedBy! },
    }),
  }
}

const isOfPlan = ({ workingOrder }: ExitProgress): boolean =>
  workingOrder !== null && isForOf(workingOrder) !== 'timed'

const isUnplaced = (status: SignalStatus): boolean =>
  (UNPLACED_STATUSES as readonly SignalStatus[]).includes(status)

function exitOf(
  record: SignalRecord,
  filledQuantity: Decimal,
  now: string,
): Pick<ResumeState, 'phase' | 'exit'> & { plannedFor: string | null } {
  const { signal, exitProgress, exitDueAt, exitCancelledBy } = record
  const exits = exitsOf(record)
  const known = exitProgress ?? exitBegins()
  const { exitRule: rule = null, protection } = signal
  const asked = { exit: rule, ...(protection && { protection }) }
  const counted = rule || exits.length > 0 ? caughtUp(known, exits, { asked, filledQuantity }) : known
  const isTimeOver = rule !== null && exitDueAt !== null && exitDueAt <= now
  const progress =
    isTimeOver && gaveWayToExit(counted, exits) ? { ...counted, next: 'timed' as const } : counted
  const exit = { ...progress, cancelledBy: progress.cancelledBy ?? exitCancelledBy }
  if (exitProgress === null && exits.length === 0) return { phase: 'working', exit, plannedFor: null }
  const isSized = exits.some(({ generation, size }) => generation === exit.generation && size)
  if (exit.workingOrder !== null || isSized || exit.cancelledBy !== null)
    return { phase: 'exiting', exit, plannedFor: null }
  // Without a plan: that is being tried still, or a late fill has opened the signal again.
  if (signal.exitStatus !== 'scheduled' && signal.exitStatus !== 'submitted')
    return { phase: 'awaitingExit', exit, plannedFor: null }
  const due = exitDueAt !== null && exitDueAt > now ? exitDueAt : null
  // Beside an exit plan the time of the exit is looked up again: what is due may be the order of the plan.
  if (due !== null && exit.notBefore === null && !protection)
    return { phase: 'awaitingExit', exit, plannedFor: due }
  return { phase: 'exiting', exit: { ...exit, notBefore: exit.notBefore && due }, plannedFor: null }
}

/** The order of an exit plan that worked last gave way to an exit of its signal that is none of the plan's. */
function gaveWayToExit({ workingOrder, next }: ExitProgress, exits: readonly NumberedExit[]): boolean {
  if (workingOrder === null || next !== undefined) return false
  const order = exits.find((exit) => exit.order?.report.clientOrderId === workingOrder.clientOrderId)?.order
  const closer = order?.marks.gaveWayTo ? parseClientOrderId(order.marks.gaveWayTo) : null
  return (
    closer?.purpose === 'timed' &&
    closer.signalId === parseClientOrderId(workingOrder.clientOrderId)!.signalId
  )
}

/** By their numbers. A number that a person has stopped before anything was sized is none of them. */
function exitsOf({ orders, decisions }: SignalRecord): NumberedExit[] {
  const exits = new Map<number, NumberedExit>()
  for (const [key, kept] of Object.entries(decisions))
    if (key.startsWith('exit-') && 'quantity' in (kept as object)) {
      const generation = Number(key.slice(5))
      exits.set(generation, { generation, size: kept as NumberedExit['size'], order: null })
    }
  for (const order of orders) {
    const { role, generation } = parseClientOrderId(order.report.clientOrderId)!
    if (role === 'exit')
      exits.set(generation, { generation, size: exits.get(generation)?.size ?? null, order })
  }
  return [...exits.values()].toSorted((a, b) => a.generation - b.generation)
}

interface NumberedExit {
  generation: number
  size: (Omit<ExitSize, 'coveredBefore'> & { coveredBefore?: Decimal; order?: { isFor: ExitFor } }) | null
  order: { report: OrderReport; marks: CancelMarks } | null
}

/**
 * The last number is left to the workflow: it takes account of an order that has ended, and finds out of a size whether it was sent
 * or given up. Numbers may be missing: each end of the signal uses one up. `filledQuantity`: shares of the entry.
 */
function caughtUp(
  stored: ExitProgress,
  exits: readonly NumberedExit[],
  { asked, filledQuantity }: { asked: ExitsAsked; filledQuantity: Decimal },
): ExitProgress {
  let progress = stored
  let end: NumberedExit['order'] = null
  for (const { generation, size, order } of exits) {
    if (generation < progress.generation) {
      if (order && progress.workingOrder?.clientOrderId === order.report.clientOrderId) end = order
      continue
    }
    if (end && isTerminal(end.report.status)) {
      const counted = afterExitOrder(progress, end.report, endCause(end.report.status, end.marks), asked)
      const isForItsRest =
        size === null &&
        order !== null &&
        compare(add(counted.coveredQuantity, order.report.quantity), filledQuantity) > 0
      // A ledger that was set back lacks the reason: what it left was open, as the next order shows.
      progress = isForItsRest ? afterExitOrder(progress, end.report, { by: 'another_order' }, asked) : counted
    }
    progress = { ...progress, generation, notBefore: null }
    const { coveredQuantity: coveredBefore } = progress
    end = order
    const isFor = size?.order?.isFor
    if (isFor !== undefined && isFor !== 'plan') progress = { ...progress, next: isFor }
    if (order) {
      const { clientOrderId, quantity } = order.report
      // An order that exists is the decision, where a ledger that was set back holds another one or none.
      const isSizedSo = size !== null && compare(size.quantity, quantity) === 0
      const sized = isSizedSo ? size : { quantity, coversQuantity: quantity }
      progress = afterAcceptance(progress, { coveredBefore, ...sized }, clientOrderId, isFor && { isFor })
    } else if (size && !isPositive(size.quantity))
      progress = afterNothingToClose(progress, { coveredBefore, ...size })
  }
  return progress
}
