import { backToPlan, isForOf, type ExitOrder } from '#domain/exit-progress.ts'
import { exitPurpose, type ExitFor } from '#domain/exit.ts'
import { clientOrderIdFor } from '#domain/order.ts'
import type { CrossedLevel } from '#domain/protection.ts'
import type { SignalRun } from './run.ts'
import { step } from '../steps/steps.ts'
import type { Deadline } from '../steps/waits.ts'
import { inMinutes, millisecondsUntil } from '../steps/workflow-time.ts'

/** What may change which order of an exit is to be at the broker, of a signal with an exit plan. */

/** What the next exit order is to be for; null where none is to follow. */
export function exitWanted({ terms, exit }: SignalRun): ExitFor | null {
  if (exit.next !== undefined) return exit.next
  if (terms.protection !== undefined && exit.planIsOver === undefined) return 'plan'
  return terms.exit !== null && exit.timedIsOver === undefined ? 'timed' : null
}

/** The client order id that the next exit order has if it is for that. */
export const nextExitId = ({ terms, exit }: SignalRun, isFor: ExitFor): string =>
  clientOrderIdFor(terms.signalId, exitPurpose(isFor), exit.generation)

/** A timed exit is to follow, beside the exit plan that holds until then. */
const isTimedAhead = ({ terms, exit }: SignalRun): boolean =>
  terms.exit !== null &&
  terms.protection !== undefined &&
  exit.timedIsOver === undefined &&
  exit.next !== 'timed' &&
  exit.next !== 'stop'

const isTimedDue = (run: SignalRun): boolean =>
  isTimedAhead(run) && run.plannedFor !== null && millisecondsUntil(run.plannedFor) === 0

/** The time of the timed exit is to be looked up, for the first time or again. */
export const isPlanLookDue = (run: SignalRun): boolean =>
  isTimedAhead(run) &&
  !isTimedDue(run) &&
  (run.planLookAt === null || run.calendarChanged || millisecondsUntil(run.planLookAt) === 0)

export const hasPlanNews = (run: SignalRun): boolean =>
  (run.crossed !== null && run.exit.next !== 'stop') || run.planMoved || isTimedDue(run) || isPlanLookDue(run)

/** When there is news by the clock alone; null where there will be none. */
export function nextPlanNews(run: SignalRun): Deadline | null {
  const { plannedFor, planLookAt, terms } = run
  if (!isTimedAhead(run)) return null
  const due =
    plannedFor !== null && (planLookAt === null || plannedFor < planLookAt) ? plannedFor : planLookAt
  return due === null
    ? null
    : { at: due, summary: `Time of the exit of ${terms.symbol}: ${plannedFor ?? 'unknown'}` }
}

/**
 * Takes account of the news. A level that was crossed counts if it is one of the plan as it is by now: at the stop the position is
 * closed at market, at the target by a limit order. Returns whether another order of the plan may be right.
 */
export async function heedPlanNews(run: SignalRun): Promise<boolean> {
  const { crossed } = run
  run.crossed = null
  if (crossed !== null && run.exit.planIsOver === undefined && mayActOn(run, crossed)) {
    const { signalId } = run.terms
    const summary = `Check whether the ${crossed.level} is reached, at ${crossed.price}`
    const level = await step('judgeLevel', summary, { signalId, crossed })
    if (level === 'stop') run.exit = { ...run.exit, next: 'stop', notBefore: null }
    if (level === 'target' && run.exit.next === undefined)
      run.exit = { ...run.exit, next: 'target', notBefore: null }
  }
  if (run.isPlanNew) {
    const { planIsOver: _, ...exit } = run.exit
    run.exit = exit
    run.isPlanNew = false
  }
  if (isTimedDue(run)) run.exit = { ...run.exit, next: 'timed', notBefore: null }
  const hasMoved = run.planMoved
  run.planMoved = false
  return hasMoved
}

/** One stop is enough; and the stop stays where it is for a target that could not be worked at a moment ago. */
const mayActOn = ({ exit: { next, targetAfter } }: SignalRun, { level }: CrossedLevel): boolean =>
  next !== 'stop' && (level === 'stop' || targetAfter === undefined || millisecondsUntil(targetAfter) === 0)

/** The order at the broker is not the one that is wanted, and one that it gives way to is to follow. */
export function isOutdated(run: SignalRun, working: ExitOrder, isAtMarket: boolean): boolean {
  const wanted = exitWanted(run)
  const isFor = isForOf(working)
  // One at market closes the position already, whatever it is for.
  return wanted !== null && wanted !== isFor && !(isAtMarket && exitPurpose(isFor) === 'timed')
}

/** The target was not reached again in time, or was taken away: the stop goes back to the broker. */
export const giveTargetUp = (run: SignalRun): void => {
  if (run.exit.next === 'target') run.exit = backToPlan(run.exit)
}

/** Minutes after which a target counts again: at which nothing was sold in its time or can be sold yet, or the broker takes no order. */
const TARGET_AGAIN_AFTER = { unsold: 1, refused: 5 } as const

/** The target cannot be sold at for now: the stop goes back to the broker, and is not called back for it at once. */
export const putTargetOff = (run: SignalRun, why: keyof typeof TARGET_AGAIN_AFTER): void => {
  const targetAfter = inMinutes(TARGET_AGAIN_AFTER[why])
  run.exit = { ...backToPlan(run.exit), failures: 0, notBefore: null, targetAfter }
}
