import type { SignalRecord } from '#db/watch/unfinished-work.ts'
import { add, compare, isPositive, type Decimal } from '#domain/decimal.ts'
import type { ExitReason } from '#domain/exit.ts'
import {
  afterAcceptance,
  afterExitOrder,
  afterNothingToClose,
  endCause,
  exitBegins,
  reasonById,
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
export function resumeStateOf(record: SignalRecord): ResumeState | null {
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
  const { phase, exit } = exitOf(record, entry?.report.filledQuantity ?? '0')
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
    ...(cancelled && {
      orderCancel: { clientOrderId: cancelled.report.clientOrderId, by: cancelled.marks.askedBy! },
    }),
  }
}

const isUnplaced = (status: SignalStatus): boolean =>
  (UNPLACED_STATUSES as readonly SignalStatus[]).includes(status)

function exitOf(record: SignalRecord, filledQuantity: Decimal): Pick<ResumeState, 'phase' | 'exit'> {
  const { signal, exitProgress, exitCancelledBy, planEndedBy } = record
  const exits = exitsOf(record)
  const known = exitProgress ?? exitBegins()
  const { exitRule: rule = null, protection } = signal
  const asked = { exit: rule, ...(protection && { protection }) }
  const progress = rule || exits.length > 0 ? caughtUp(known, exits, { asked, filledQuantity }) : known
  // A workflow that outlived a ledger that was set back has told of orders of which that holds none.
  const isRecorded = (clientOrderId: string) =>
    record.orders.some(({ report }) => report.clientOrderId === clientOrderId)
  const exit = {
    ...progress,
    ended: progress.ended.filter(isRecorded),
    uncovered: progress.uncovered.filter(({ clientOrderId }) => isRecorded(clientOrderId)),
    cancelledBy: progress.cancelledBy ?? exitCancelledBy,
    ...(planEndedBy !== null && { levelsEndedBy: planEndedBy }),
  }
  return { phase: exitProgress === null && exits.length === 0 ? 'working' : 'exiting', exit }
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
  size: (Omit<ExitSize, 'coveredBefore'> & { coveredBefore?: Decimal; order?: { reason: ExitReason } }) | null
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
    progress = { ...progress, generation }
    const { coveredQuantity: coveredBefore } = progress
    end = order
    const reason = size?.order?.reason
    // It was decided for that level, and may be at the broker.
    if (reason === 'STOP_LOSS' || reason === 'TAKE_PROFIT') progress = { ...progress, reached: reason }
    if (reason !== undefined && !order) {
      const { [reason]: _, ...waits } = progress.waits
      progress = { ...progress, waits }
    }
    if (order) {
      const { clientOrderId, quantity, submittedAt } = order.report
      // An order that exists is the decision, where a ledger that was set back holds another one or none.
      const isSizedSo = size !== null && compare(size.quantity, quantity) === 0
      const sized = isSizedSo ? size : { quantity, coversQuantity: quantity }
      progress = afterAcceptance(
        progress,
        { coveredBefore, ...sized },
        {
          clientOrderId,
          reason: reason ?? reasonById(clientOrderId),
          filledThen: add(coveredBefore, sized.coversQuantity),
          since: submittedAt,
        },
      )
    } else if (size && !isPositive(size.quantity))
      progress = afterNothingToClose(progress, { coveredBefore, ...size })
  }
  return progress
}
