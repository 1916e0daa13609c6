import { add, compare, isPositive, subtract } from '#domain/decimal.ts'
import { afterEarlyEnd, type ExitRule } from '#domain/exit.ts'
import { sharesOf } from '#domain/figures.ts'
import { followOrder, type Following } from '../order/follow.ts'
import { close } from './close.ts'
import type { ExitProgress } from './contract.ts'
import { describeExitEnd } from './exit-end.ts'
import { placeExit } from './exit-order.ts'
import { planExit } from './exit-plan.ts'
import { reportTrouble, waitForNextTry } from './exit-retry.ts'
import type { SignalRun } from './run.ts'
import { step } from '../steps/steps.ts'
import { waitUntilOrFilledFurther } from './exit-wait.ts'
import { recordExitCancel } from './follow-entry.ts'

/**
 * Waits for the exit's time, sends the exit sized to the fill, and follows it to its end. A person may cancel the exit
 * while no order of it is at the broker. After continue-as-new it resumes where the previous run stopped.
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
 * Sends exit orders until every filled share of the entry is covered, or a person cancels the exit: a new order with a
 * new client order id after each definitive rejection, and another one for shares that were filled while an exit was
 * working. Each is sized anew, because a person may have closed the position in the meantime, and an exit must not
 * open a position on the other side.
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

/** Waits for the end of the exit order, and decides what follows if it ended with shares still open. */
async function followExitOrder(
  run: SignalRun,
  rule: ExitRule,
  { clientOrderId, quantity, coversQuantity }: NonNullable<ExitProgress['workingOrder']>,
): Promise<void> {
  const { exit } = run
  const wait: Following['wait'] = (isReached, deadline) => waitUntilOrFilledFurther(run, isReached, deadline)
  await followOrder(run, clientOrderId, { name: 'exit order', wait })
  const order = run.report(clientOrderId)!
  const rest = subtract(quantity, order.filledQuantity)
  exit.workingOrder = null
  exit.ended = [...exit.ended, clientOrderId]
  if (isPositive(order.filledQuantity)) exit.failures = 0
  if (isPositive(rest) && rule.timeInForce === 'cls' && order.timeInForce !== 'cls') exit.wholeFirst = true
  if (!isPositive(rest)) {
    exit.coveredQuantity = add(exit.coveredQuantity, coversQuantity)
  } else if (run.orderCancel?.clientOrderId === clientOrderId && order.status === 'CANCELLED') {
    // A person who cancels the exit order wants no exit any more, and knows of the position.
    run.exitCancelledBy = run.orderCancel.by
  } else if (order.status === 'CANCELLED' && (await isCancelledForAnother(clientOrderId))) {
    // Another order is to close these shares; the part that it leaves open needs an exit again.
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
