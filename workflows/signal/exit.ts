import { add, compare, subtract } from '#domain/decimal.ts'
import { exitCancelledMessage, type ExitRule } from '#domain/exit.ts'
import {
  afterExitOrder,
  describeExitEnd,
  endCause,
  isForOf,
  type EndCause,
  type ExitOrder,
} from '#domain/exit-progress.ts'
import { sharesOf } from '#domain/figures.ts'
import type { OrderReport } from '#domain/order.ts'
import { recordUnasked } from '../order/cancel.ts'
import { followOrder, type Following } from '../order/follow.ts'
import { close } from './close.ts'
import { placeExit } from './exit-order.ts'
import { planBeside, planExit, putOff } from './exit-plan.ts'
import { PLAN_IS_BACK_AFTER, reportTrouble, waitForNextTry, waitUntilOrFilledFurther } from './exit-retry.ts'
import { followPlanned } from './follow-planned.ts'
import { exitWanted, heedPlanNews, isPlanLookDue, putTargetOff } from './plan-news.ts'
import type { SignalRun } from './run.ts'
import { step } from '../steps/steps.ts'
import { inMinutes, millisecondsUntil } from '../steps/workflow-time.ts'
import { recordExitCancel } from './follow-entry.ts'

/** At the exit's time, by its plan, or whichever comes first. A person may cancel it while none is at the broker. */
export async function runExit(run: SignalRun): Promise<void> {
  const isToWait = run.phase === 'awaitingExit' && hasUncoveredShares(run) && run.exit.cancelledBy === null
  if (isToWait && exitWanted(run) === 'timed') await planExit(run, ruleOf(run))
  await closeFilled(run)
  const { cancelledBy } = run.exit
  if (cancelledBy !== null)
    return close(run, {
      message: exitCancelledMessage(cancelledBy),
      exit: null,
      rejected: false,
      unprotected: null,
    })
  const { message, unprotected, ...exit } = describeExitEnd(run.exit, (id) => run.placed(id))
  if (!hasUncoveredShares(run)) return close(run, { message, exit, rejected: false, unprotected })
  // A fill after the session of the exit plan.
  const rest = add(unprotected ?? '0', subtract(run.entry.filledQuantity, run.exit.coveredQuantity))
  const words = `${message}. The exit plan is over, and ${sharesOf(rest, run.entry.filledQuantity)} have no exit`
  return close(run, { message: words, exit, rejected: false, unprotected: rest })
}

function ruleOf({ terms }: SignalRun): ExitRule {
  if (terms.exit === null) throw new TypeError('the signal has no timed exit')
  return terms.exit
}

const hasUncoveredShares = (run: SignalRun): boolean =>
  compare(run.exit.coveredQuantity, run.entry.filledQuantity) < 0

/** Until every filled share is covered, or a person cancels. Each order is sized again: a person may have closed. */
async function closeFilled(run: SignalRun): Promise<void> {
  for (;;) {
    await recordExitCancel(run)
    const { exit } = run
    if (exit.cancelledBy !== null) return
    run.phase = 'exiting'
    if (exit.workingOrder !== null) await followExitOrder(run, exit.workingOrder)
    else {
      await heedPlanNews(run)
      if (run.exit.notBefore !== null) await waitOrGoBack(run, run.exit.notBefore)
      else if (!hasUncoveredShares(run) || !(await placeNext(run))) return
    }
  }
}

/** With the exit plan at the broker meanwhile where that is of use. */
async function waitOrGoBack(run: SignalRun, notBefore: string): Promise<void> {
  const { next, failures, planIsOver } = run.exit
  const hasPlan = run.terms.protection !== undefined && planIsOver === undefined
  if (next === 'target') return putTargetOff(run, 'refused')
  if (next === 'timed' && hasPlan && failures >= PLAN_IS_BACK_AFTER) return putOff(run, notBefore)
  if (isPlanLookDue(run)) await planBeside(run, ruleOf(run))
  await waitForNextTry(run)
}

async function placeNext(run: SignalRun): Promise<boolean> {
  const wanted = exitWanted(run)
  const hadPlan = run.planEndedBy !== null || run.exit.planIsOver !== undefined
  if (wanted === 'timed' && run.exit.next === undefined && hadPlan && !isTimeOver(run)) {
    run.phase = 'awaitingExit'
    await planExit(run, ruleOf(run))
  } else if (wanted !== null) await placeExit(run, wanted)
  else if (run.exit.planIsOver || run.exit.timedIsOver) return false
  else {
    run.exitCancelAskedBy = run.planEndedBy ?? 'its owner'
    await recordExitCancel(run)
    // An earlier decision's order may be at the broker.
    if (run.exit.cancelledBy === null) await placeExit(run, 'stop')
  }
  return true
}

const isTimeOver = ({ plannedFor }: SignalRun): boolean =>
  plannedFor !== null && millisecondsUntil(plannedFor) === 0

async function followExitOrder(run: SignalRun, working: ExitOrder): Promise<void> {
  const { clientOrderId, quantity } = working
  const isFor = isForOf(working)
  if (run.terms.protection !== undefined || isFor !== 'timed') await followPlanned(run, working)
  else {
    const wait: Following['wait'] = (isReached, deadline) =>
      waitUntilOrFilledFurther(run, isReached, deadline)
    await followOrder(run, clientOrderId, { name: 'exit order', wait })
  }
  if (run.placed(clientOrderId).status === 'CANCELLED') await recordUnasked(run, clientOrderId)
  const cause = await causeOf(run.placed(clientOrderId))
  const order = run.placed(clientOrderId)
  run.exit = afterExitOrder(run.exit, order, cause, run.terms)
  const { coveredQuantity, generation } = run.exit
  if (compare(coveredQuantity, working.coversUpTo) >= 0) return
  // A person who cancels the exit order wants no exit any more, and knows of the position.
  if (cause.by === 'person') run.exitCancelAskedBy = cause.who
  // The owner is notified when it is cancelled.
  if (cause.by === 'person' || cause.by === 'another_order') return
  // Normal: it is placed again in the next session, or as soon as the broker takes it.
  if (cause.by === 'session' && (isFor === 'plan' || isFor === 'target')) {
    run.exit = { ...run.exit, notBefore: inMinutes(AFTER_EXPIRY) }
    return
  }
  const why = order.reason === null ? '' : ` (${order.reason})`
  await reportTrouble(run, {
    generation: generation - 1,
    kind: 'ended',
    code: null,
    detail: `${order.status}${why}, with ${sharesOf(order.filledQuantity, quantity)} closed`,
  })
  if (isFor === 'target' && run.exit.next !== 'stop') putTargetOff(run, 'refused')
}

/** Minutes before an expired order of an exit plan is placed again. */
const AFTER_EXPIRY = 0.1

/** By the ledger, so that a rebuilt run gets the same. */
async function causeOf({ clientOrderId, status }: OrderReport): Promise<EndCause> {
  const marks =
    status === 'CANCELLED'
      ? await step('readCancelMarks', 'Look up why the exit was cancelled', { clientOrderId })
      : { askedBy: null, gaveWayTo: null }
  return endCause(status, marks)
}
