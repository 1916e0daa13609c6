import type { EntityManager } from '#db/engine/database.ts'
import { noteReopened } from '#db/signal/reopening.ts'
import type { Signal } from '#db/entities/index.ts'
import { readSignalRecord, type RecordedOrder, type SignalRecord } from '#db/signal/record.ts'
import { termsOf } from '#db/signal/terms.ts'
import { add, compare, decimal, type Decimal } from '#domain/money/decimal.ts'
import type { ExitReason } from '#domain/exit/exit.ts'
import {
  afterAcceptance,
  afterExitOrder,
  endCause,
  exitBegins,
  reasonById,
  type ExitProgress,
  type ExitsAsked,
  type ExitSize,
} from '#domain/exit/progress.ts'
import {
  entryIdFor,
  isTerminal,
  isWorking,
  parseClientOrderId,
  type OrderReport,
} from '#domain/order/order.ts'
import { ENTRY_SIDE, isUnplaced } from '#domain/signal/signal.ts'
import type { LoadedSignal } from './contract.ts'

/** Loads a state that may be a step behind an earlier run: every step is safe to repeat. */
export async function loadSignal(em: EntityManager, signalId: string, at: string): Promise<LoadedSignal> {
  const record = await readSignalRecord(em, signalId)
  if (record.isOpen && record.hasEnded) await noteReopened(em, signalId, at)
  return stateOf(record)
}

/** An existing order was decided, even where the ledger was rolled back to before that. */
export function stateOf(record: SignalRecord): LoadedSignal {
  const { signal } = record
  const terms = termsOf(signal)
  const { status } = signal
  const adopted = signal.origin === 'adopted' ? [adoptedEntry(signal)] : []
  const orders = [...adopted, ...record.orders]
  const entry = orders.find(({ role }) => role === 'entry')
  const isEntering = !entry || isUnplaced(status)
  const cancelled = orders.findLast(({ report, marks }) => marks.askedBy !== null && isWorking(report.status))
  return {
    terms,
    phase: phaseOf(record, entry, isEntering),
    status,
    orderId: isEntering ? null : (signal.orderId ?? null),
    reason: signal.statusReason ?? null,
    detail: signal.statusDetail ?? null,
    // The workflow looks its entry up at the broker.
    reports: orders.flatMap(({ report, newsAt, role }) =>
      isEntering && role === 'entry' ? [] : [{ report, newsAt }],
    ),
    exit: exitOf(record, entry?.report.filledQuantity ?? '0'),
    closings: record.closings,
    orderCancel: cancelled
      ? { clientOrderId: cancelled.report.clientOrderId, by: cancelled.marks.askedBy! }
      : null,
  }
}

/** Adopted shares, as if an order had bought them. */
function adoptedEntry(signal: Signal): RecordedOrder {
  const at = signal.acceptedAt.toISOString()
  const quantity = decimal(signal.filledQuantity)
  const report: OrderReport = {
    brokerOrderId: 'none',
    clientOrderId: entryIdFor(signal.id),
    symbol: signal.symbol,
    side: ENTRY_SIDE[signal.action],
    quantity,
    orderType: 'market',
    limitPrice: null,
    stopPrice: null,
    timeInForce: 'day',
    extendedHours: false,
    status: 'FILLED',
    filledQuantity: quantity,
    avgFillPrice: signal.avgFillPrice == null ? null : decimal(signal.avgFillPrice),
    reason: null,
    submittedAt: at,
    filledAt: at,
    endedAt: at,
  }
  return { role: 'entry', report, newsAt: at, marks: { askedBy: null, cancelledFor: null } }
}

function phaseOf(
  { isOpen, signal: { status, origin }, orders, exitProgress }: SignalRecord,
  entry: RecordedOrder | undefined,
  isEntering: boolean,
): LoadedSignal['phase'] {
  if (!isOpen) return 'ended'
  if (isEntering) return !entry && (status === 'pending' || status === 'scheduled') ? 'waiting' : 'checking'
  const hasExit = origin === 'adopted' || exitProgress !== null || orders.some(({ role }) => role === 'exit')
  return isWorking(entry!.report.status) || !hasExit ? 'working' : 'exiting'
}

function exitOf(record: SignalRecord, filledQuantity: Decimal): ExitProgress {
  const { signal, orders, exitProgress, exitCancelledBy, exitEndedBy, levelsSince } = record
  const { exitRule = null, protection } = signal
  const asked = { exit: exitRule, ...(protection && { protection }) }
  const progress = withOrders(exitProgress ?? exitBegins(), record, { asked, filledQuantity })
  // A run that survived a rollback of the ledger reported orders that the ledger lacks.
  const isRecorded = (clientOrderId: string) =>
    orders.some(({ report }) => report.clientOrderId === clientOrderId)
  return {
    ...progress,
    ended: progress.ended.filter(isRecorded),
    uncovered: progress.uncovered.filter(({ clientOrderId }) => isRecorded(clientOrderId)),
    cancelledBy: progress.cancelledBy ?? exitCancelledBy,
    ...(exitEndedBy !== null && { levelsEndedBy: exitEndedBy }),
    ...(exitProgress === null && levelsSince !== null && { levelsSince }),
  }
}

type KeptSize = Omit<ExitSize, 'coveredBefore'> & { order?: { reason: ExitReason } }

/** A person may have stopped that exit before it was sized. */
const sizeIn = ({ decisions }: SignalRecord, generation: number): KeptSize | null => {
  const kept = decisions[`exit-${generation}`] as object | undefined
  return kept && 'quantity' in kept ? (kept as KeptSize) : null
}

/** Adds exit orders that reached the ledger without their own workflow. */
function withOrders(
  stored: ExitProgress,
  record: SignalRecord,
  { asked, filledQuantity }: { asked: ExitsAsked; filledQuantity: Decimal },
): ExitProgress {
  const exits = record.orders
    .map((order) => ({ ...order, ...parseClientOrderId(order.report.clientOrderId)! }))
    .filter(({ role }) => role === 'exit')
    .toSorted((a, b) => a.generation - b.generation)
  let progress = stored
  for (const { report, generation } of exits.filter((each) => each.generation >= stored.generation)) {
    const { clientOrderId, quantity, submittedAt } = report
    const kept = sizeIn(record, generation)
    const before = exits.find((each) => each.report.clientOrderId === progress.workingOrder?.clientOrderId)
    if (before && isTerminal(before.report.status)) {
      const cause = endCause(before.report.status, before.marks)
      const counted = afterExitOrder(progress, before.report, cause, asked)
      // A rolled-back ledger lacks the cause: this order shows that the shares were open.
      const isForItsRest =
        kept === null && compare(add(counted.coveredQuantity, quantity), filledQuantity) > 0
      progress = isForItsRest
        ? afterExitOrder(progress, before.report, { by: 'another_order' }, asked)
        : counted
    }
    const { coveredQuantity: coveredBefore } = progress
    // The order counts where a rolled-back ledger holds another decision or none.
    const isSizedSo = kept !== null && compare(kept.quantity, quantity) === 0
    const size = isSizedSo ? kept : { quantity, coversQuantity: quantity }
    progress = afterAcceptance(
      { ...progress, generation },
      { coveredBefore, ...size },
      {
        clientOrderId,
        reason: kept?.order?.reason ?? reasonById(clientOrderId),
        filledThen: add(coveredBefore, size.coversQuantity),
        since: submittedAt,
      },
    )
  }
  return progress
}
