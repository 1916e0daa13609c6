import { compare } from '#domain/decimal.ts'
import { exitCancelledMessage, type ExitRule } from '#domain/exit.ts'
import {
  afterExitOrder,
  describeExitEnd,
  endCause,
  type EndCause,
  type ExitOrder,
} from '#domain/exit-progress.ts'
import { sharesOf } from '#domain/figures.ts'
import type { OrderReport } from '#domain/order.ts'
import { recordUnasked } from '../order/cancel.ts'
import { followOrder, type Following } from '../order/follow.ts'
import { close } from './close.ts'
import { placeExit } from './exit-order.ts'
import { planExit } from './exit-plan.ts'
import { reportTrouble, waitForNextTry, waitUntilOrFilledFurther } from './exit-retry.ts'
import type { SignalRun } from './run.ts'
import { step } from '../steps/steps.ts'
import { recordExitCancel } from './follow-entry.ts'

/**
 * Waits for the exit's time, sends the exit sized to the fill, and follows it to its end. A person may cancel the exit
 * while no order of it is at the broker. After continue-as-new it resumes where the previous run stopped.
 */
export async function runExit(run: SignalRun): Promise<void> {
  const rule = run.terms.exit
  if (rule === null) throw new TypeError('the signal has no exit')
  if (run.phase === 'awaitingExit' && hasUncoveredShares(run) && run.exit.cancelledBy === null)
    await planExit(run, rule)
  await closeFilled(run, rule)
  const { cancelledBy } = run.exit
  if (cancelledBy !== null)
    return close(run, {
      message: exitCancelledMessage(cancelledBy),
      exit: null,
      rejected: false,
      unprotected: null,
    })
  const { message, unprotected, ...exit } = describeExitEnd(run.exit, (id) => run.placed(id))
  return close(run, { message, exit, rejected: false, unprotected })
}

/** The entry has filled more than exits have been sent for. */
const hasUncoveredShares = (run: SignalRun): boolean =>
  compare(run.exit.coveredQuantity, run.entry.filledQuantity) < 0

/**
 * Sends exit orders until every filled share of the entry is covered, or a person cancels the exit: a new order with a
 * new client order id after each definitive rejection, and another one for shares that were filled while an exit was
 * working. Each is sized anew, because a person may have closed the position in the meantime, and an exit must not
 * open a position on the other side.
 */
async function closeFilled(run: SignalRun, rule: ExitRule): Promise<void> {
  for (;;) {
    await recordExitCancel(run)
    const { exit } = run
    if (exit.cancelledBy !== null) return
    run.phase = 'exiting'
    if (exit.notBefore !== null) await waitForNextTry(run)
    else if (exit.workingOrder !== null) await followExitOrder(run, rule, exit.workingOrder)
    else if (hasUncoveredShares(run)) await placeExit(run, rule)
    else return
  }
}

/** Waits for the end of the exit order, and takes account of it. */
async function followExitOrder(run: SignalRun, rule: ExitRule, working: ExitOrder): Promise<void> {
  const { clientOrderId, quantity } = working
  const wait: Following['wait'] = (isReached, deadline) => waitUntilOrFilledFurther(run, isReached, deadline)
  await followOrder(run, clientOrderId, { name: 'exit order', wait })
  if (run.placed(clientOrderId).status === 'CANCELLED') await recordUnasked(run, clientOrderId)
  const cause = await causeOf(run.placed(clientOrderId))
  const order = run.placed(clientOrderId)
  run.exit = afterExitOrder(run.exit, order, cause, rule)
  const { coveredQuantity, generation } = run.exit
  if (compare(coveredQuantity, working.coversUpTo) >= 0) return
  // A person who cancels the exit order wants no exit any more, and knows of the position.
  if (cause.by === 'person') run.exitCancelAskedBy = cause.who
  // That an order gives way is told when it is cancelled.
  if (cause.by === 'person' || cause.by === 'another_order') return
  const why = order.reason === null ? '' : ` (${order.reason})`
  await reportTrouble(run, {
    generation: generation - 1,
    kind: 'ended',
    code: null,
    detail: `${order.status}${why}, with ${sharesOf(order.filledQuantity, quantity)} closed`,
  })
}

/** Why an exit order has ended, by the ledger: a rebuilt run is told the same. */
async function causeOf({ clientOrderId, status }: OrderReport): Promise<EndCause> {
  const marks =
    status === 'CANCELLED'
      ? await step('readCancelMarks', 'Look up why the exit was cancelled', { clientOrderId })
      : { askedBy: null, gaveWayTo: null }
  return endCause(status, marks)
}
