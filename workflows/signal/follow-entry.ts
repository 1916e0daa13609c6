import { condition } from '@temporalio/workflow'
import { isPositive, isZero } from '#domain/decimal.ts'
import { figure, sharesOf } from '#domain/figures.ts'
import type { OrderReport } from '#domain/order.ts'
import { cancelRetryDeadline } from '../order/cancel.ts'
import { close } from './close.ts'
import { cancelSignalOrder, isCancelDue } from './cancel-order.ts'
import type { SignalRun } from './run.ts'
import { persistBriefly, persistStep, step } from '../steps/steps.ts'
import { waitUntil, type Deadline } from '../steps/waits.ts'
import { decideReplacement } from './replace.ts'
import { workflowNow } from '../steps/workflow-time.ts'

/** Sees the entry order to its end, however long it works, and decides what follows. */
export async function followEntryOrder(run: SignalRun): Promise<void> {
  let cancels = 0
  while (!run.hasEnded(run.entryId)) {
    if (isReplaced(run) && cancels === 0) {
      cancels += 1
      await cancelReplaced(run)
      continue
    }
    run.waitFor(
      isReplaced(run) ? 'the replaced entry order to end' : 'the entry order to end',
      run.terms.expiresAt,
    )
    // One that is to be cancelled anyway has no other date any more.
    const isCancelling =
      isReplaced(run) || (run.orderCancel?.clientOrderId === run.entryId && run.orderCancel.isAsked)
    const deadline = isCancelling ? cancelRetryDeadline(cancels) : gtdExpiry(run)
    const came = await waitUntil(run, () => run.hasEnded(run.entryId) || asksAnything(run), deadline)
    await recordExitCancel(run)
    if (isAsked(run)) await decideReplacement(run)
    if (run.hasEnded(run.entryId)) break
    if (isReplaced(run) && !came) {
      cancels += 1
      await cancelReplaced(run)
    } else if (isCancelDue(run, run.entryId) || (!came && isCancelling)) {
      cancels += 1
      await cancelSignalOrder(run, run.entryId)
    } else if (!came) await cancelExpired(run)
  }
  // Whoever asked in the same moment, or asks while another is answered, has an answer before the story goes on.
  while (isAsked(run) || isExitCancelDue(run)) {
    if (isAsked(run)) await decideReplacement(run)
    await recordExitCancel(run)
  }
  const entry = run.entry
  if (run.terms.exit !== null && run.exitCancelledBy === null && isPositive(entry.filledQuantity)) {
    run.phase = 'awaitingExit'
    return
  }
  await close(run, endOfEntry(run, entry))
}

const isAsked = (run: SignalRun): boolean =>
  run.pendingReplacement !== null && run.pendingReplacement.answer === null
const isExitCancelDue = (run: SignalRun): boolean => run.exitCancelledBy !== null && !run.exitCancelRecorded
const asksAnything = (run: SignalRun): boolean =>
  isAsked(run) || isExitCancelDue(run) || isCancelDue(run, run.entryId)

function gtdExpiry(run: SignalRun): Deadline | null {
  const { timeInForce, expiresAt, symbol } = run.terms
  return timeInForce === 'gtd' && expiresAt !== null
    ? { at: expiresAt, summary: `Cancel the ${symbol} entry, good till ${expiresAt}` }
    : null
}

/** The broker knows no good till date: the order is cancelled in its stead, for as long as that takes. */
async function cancelExpired(run: SignalRun): Promise<void> {
  run.waitFor('the expired entry order to be cancelled')
  const { accountId } = run.terms
  const { report } = await step('cancelOrder', `Cancel the entry, good till ${run.terms.expiresAt}`, {
    accountId,
    brokerOrderId: run.entry.brokerOrderId,
    onlyIfUnfilled: false,
  })
  if (report) run.note(report)
  // The cancel is accepted, not done: the feed tells of the end. Asked again if that does not come.
  await condition(() => run.hasEnded(run.entryId) || asksAnything(run), '1 minute', {
    summary: 'Wait for the cancel to take effect',
  })
}

/** Another signal has taken the place of this one, whose order may still work. */
const isReplaced = (run: SignalRun): boolean => run.status === 'cancelled'

/**
 * The cancel of a replaced order is asked for on a clock until the order has ended; in between, people are answered. A
 * fill that comes all the same makes a position, which gets its exit like any other.
 */
async function cancelReplaced(run: SignalRun): Promise<void> {
  run.waitFor('the replaced entry order to be cancelled')
  const tried = await persistBriefly('cancelOrder', 'Cancel the replaced entry', {
    accountId: run.terms.accountId,
    brokerOrderId: run.entry.brokerOrderId,
    onlyIfUnfilled: false,
  })
  if (tried.completed && tried.result.report) run.note(tried.result.report)
}

/** Writes down that a person cancelled the exit, once; or takes that back, if the ledger says that it is too late. */
export async function recordExitCancel(run: SignalRun): Promise<void> {
  const by = run.exitCancelledBy
  if (by === null || !isExitCancelDue(run)) return
  const stopping = await persistStep('recordExitCancelled', `Record that ${by} cancelled the exit`, {
    signalId: run.terms.signalId,
    at: workflowNow(),
    by,
    generation: run.exit.generation,
  })
  if (stopping === 'stopped') run.exitCancelRecorded = true
  else run.exitCancelledBy = null
}

/** How a signal ends with its entry order, that is without an exit order. */
function endOfEntry(run: SignalRun, entry: OrderReport) {
  const nothing = isZero(entry.filledQuantity)
  const message = nothing
    ? `The entry order ended ${entry.status} without a fill${entry.reason ? ` (${entry.reason})` : ''}`
    : `The entry is filled: ${sharesOf(entry.filledQuantity, entry.quantity)} at ${figure(entry.avgFillPrice ?? '0')}`
  const asked = run.terms.exit !== null && run.exitCancelledBy === null
  return {
    message,
    exit: asked ? ({ status: 'cancelled', reason: 'ENTRY_NOT_FILLED' } as const) : null,
    // A replaced signal stays cancelled, whatever its order came to.
    rejected: nothing && entry.status === 'REJECTED' && run.status === 'executed',
    unprotected: null,
  }
}
