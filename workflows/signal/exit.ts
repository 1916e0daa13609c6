import { add, compare, isPositive, subtract } from '#domain/decimal.ts'
import { afterEarlyEnd, type ExitRule } from '#domain/exit.ts'
import { sharesOf } from '#domain/figures.ts'
import { cancelRetryDeadline } from '../order/cancel.ts'
import { close } from './close.ts'
import type { ExitProgress } from './contract.ts'
import { describeExitEnd } from './exit-end.ts'
import { placeExit } from './exit-order.ts'
import { planExit } from './exit-plan.ts'
import { reportTrouble, waitForNextTry } from './exit-retry.ts'
import type { SignalRun } from './run.ts'
import { step } from '../steps/steps.ts'
import { waitUntilOrFilledFurther } from '../steps/waits.ts'
import { cancelSignalOrder, isCancelDue } from './cancel-order.ts'
import { recordExitCancel } from './follow-entry.ts'

/**
 * Waits for the exit's time, sends it sized to the fill, and sees it to its end. A person may cancel the exit while no
 * order of it is at the broker. A fresh history goes on where the last one left off.
 */
export async function runExit(run: SignalRun): Promise<void> {
  const rule = run.terms.exit
  if (rule === null) throw new TypeError('the signal has no exit')
  if (run.phase === 'awaitingExit' && hasUncoveredShares(run)) await planExit(run, rule)
  await closeFilled(run, rule)
  if (run.exitCancelledBy !== null) {
    const message = `The exit was cancelled by ${run.exitCancelledBy}; the position stays open`
    return close(run, { message, exit: null, rejected: false, unprotected: null })
  }
  const { uncovered, ended } = run.exit
  const end = describeExitEnd(
    ended.map((id) => run.report(id)!),
    uncovered && { quantity: uncovered.quantity, order: run.report(uncovered.clientOrderId)! },
  )
  return close(run, {
    message: end.message,
    exit: { status: end.status, reason: end.reason },
    rejected: false,
    unprotected: uncovered?.quantity ?? null,
  })
}

/** The entry has filled more than exits have been sent for. */
const hasUncoveredShares = (run: SignalRun): boolean =>
  compare(run.exit.coveredQuantity, run.entry.filledQuantity) < 0

/**
 * Sends exit orders until every share that the entry has filled is answered for, or a person cancels the exit: one more
 * with a new client order id after each definitive refusal, and one for shares that were filled while an exit was
 * under way. Each is sized anew, because in the meantime a person may have closed the position, and an exit must
 * not flip it.
 */
async function closeFilled(run: SignalRun, rule: ExitRule): Promise<void> {
  const { exit } = run
  for (;;) {
    await recordExitCancel(run)
    if (run.exitCancelledBy !== null) return
    run.phase = 'exiting'
    if (exit.notBefore !== null) await waitForNextTry(run)
    else if (exit.workingOrder !== null) await followExitOrder(run, rule, exit.workingOrder)
    else if (hasUncoveredShares(run)) await placeExit(run, rule)
    else return
  }
}

/** Waits for the end of the exit order, and decides what follows if it has not closed all that it was to close. */
async function followExitOrder(
  run: SignalRun,
  rule: ExitRule,
  { clientOrderId, quantity, coversQuantity }: NonNullable<ExitProgress['workingOrder']>,
): Promise<void> {
  const { exit } = run
  await waitForExitEnd(run, clientOrderId)
  const order = run.report(clientOrderId)!
  const rest = subtract(quantity, order.filledQuantity)
  exit.workingOrder = null
  exit.ended = [...exit.ended, clientOrderId]
  if (isPositive(order.filledQuantity)) exit.failures = 0
  if (!isPositive(rest)) {
    exit.coveredQuantity = add(exit.coveredQuantity, coversQuantity)
  } else if (run.orderCancel?.clientOrderId === clientOrderId && order.status === 'CANCELLED') {
    // Whoever cancels the order wants no exit any more, and knows of the position.
    run.exitCancelledBy = run.orderCancel.by
  } else if (order.status === 'CANCELLED' && (await isCancelledForAnother(clientOrderId))) {
    // To an order that closes these shares, if it comes to that: what it leaves open needs an exit again.
    exit.coveredQuantity = add(exit.coveredQuantity, subtract(coversQuantity, rest))
  } else if (afterEarlyEnd(rule, order.status) === 'uncovered') {
    exit.coveredQuantity = add(exit.coveredQuantity, coversQuantity)
    exit.uncovered = { quantity: add(exit.uncovered?.quantity ?? '0', rest), clientOrderId }
  } else {
    exit.coveredQuantity = add(exit.coveredQuantity, subtract(coversQuantity, rest))
    const why = order.reason === null ? '' : ` (${order.reason})`
    await reportTrouble(run, {
      generation: exit.generation - 1,
      kind: 'ended',
      code: null,
      detail: `${order.status}${why}, with ${sharesOf(order.filledQuantity, quantity)} closed`,
    })
  }
}

/** Whether the exit order was cancelled so that another order of ours could be placed. */
const isCancelledForAnother = async (clientOrderId: string): Promise<boolean> =>
  (await step('readCancelledFor', 'Look up why the exit was cancelled', { clientOrderId })) !== null

/** Waits for the end of the exit order, and has it cancelled if somebody wants that. */
async function waitForExitEnd(run: SignalRun, clientOrderId: string): Promise<void> {
  for (let cancels = 0; !run.hasEnded(clientOrderId);) {
    run.waitFor('the exit order to end')
    const changed = () => run.hasEnded(clientOrderId) || isCancelDue(run, clientOrderId)
    await waitUntilOrFilledFurther(run, changed, cancels === 0 ? null : cancelRetryDeadline(cancels))
    if (run.hasEnded(clientOrderId)) return
    cancels += 1
    await cancelSignalOrder(run, clientOrderId)
  }
}
