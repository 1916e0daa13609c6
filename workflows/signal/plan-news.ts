import { backToPlan, isForOf, type ExitOrder } from '#domain/exit-progress.ts'
import { exitPurpose, type ExitFor } from '#domain/exit.ts'
import { clientOrderIdFor } from '#domain/order.ts'
import type { CrossedLevel } from '#domain/protection.ts'
import type { SignalRun } from './run.ts'
import { step } from '../steps/steps.ts'
import type { Deadline } from '../steps/waits.ts'
import { inMinutes, millisecondsUntil } from '../steps/workflow-time.ts'

/** Events that may change which order of an exit plan is needed at the broker. */

export function exitWanted({ terms, exit }: SignalRun): ExitFor | null {
  if (exit.next !== undefined) return exit.next
  if (terms.protection !== undefined && exit.planIsOver === undefined) return 'plan'
  return terms.exit !== null && exit.timedIsOver === undefined ? 'timed' : null
}

export const nextExitId = ({ terms, exit }: SignalRun, isFor: ExitFor): string =>
  clientOrderIdFor(terms.signalId, exitPurpose(isFor), exit.generation)

const isTimedAhead = ({ terms, exit }: SignalRun): boolean =>
  terms.exit !== null &&
  terms.protection !== undefined &&
  exit.timedIsOver === undefined &&
  exit.next !== 'timed' &&
  exit.next !== 'stop'

const isTimedDue = (run: SignalRun): boolean =>
  isTimedAhead(run) && run.plannedFor !== null && millisecondsUntil(run.plannedFor) === 0

export const isPlanLookDue = (run: SignalRun): boolean =>
  isTimedAhead(run) &&
  !isTimedDue(run) &&
  (run.planLookAt === null || run.calendarChanged || millisecondsUntil(run.planLookAt) === 0)

export const hasPlanNews = (run: SignalRun): boolean =>
  (run.crossed !== null && run.exit.next !== 'stop') || run.planMoved || isTimedDue(run) || isPlanLookDue(run)

export function nextPlanNews(run: SignalRun): Deadline | null {
  const { plannedFor, planLookAt, terms } = run
  if (!isTimedAhead(run)) return null
  const due =
    plannedFor !== null && (planLookAt === null || plannedFor < planLookAt) ? plannedFor : planLookAt
  return due === null
    ? null
    : { at: due, summary: `Time of the exit of ${terms.symbol}: ${plannedFor ?? 'unknown'}` }
}

/** At a stop at market, at a target by a limit order. Returns whether another order of the plan may be right. */
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

/** One stop is enough; and the stop stays for a target whose order failed a moment ago. */
const mayActOn = ({ exit: { next, targetAfter } }: SignalRun, { level }: CrossedLevel): boolean =>
  next !== 'stop' && (level === 'stop' || targetAfter === undefined || millisecondsUntil(targetAfter) === 0)

export function isOutdated(run: SignalRun, working: ExitOrder, isAtMarket: boolean): boolean {
  const wanted = exitWanted(run)
  const isFor = isForOf(working)
  // A market order closes the position already, whatever it is for.
  return wanted !== null && wanted !== isFor && !(isAtMarket && exitPurpose(isFor) === 'timed')
}

export const giveTargetUp = (run: SignalRun): void => {
  if (run.exit.next === 'target') run.exit = backToPlan(run.exit)
}

/** Minutes until a target counts again: unsold in its time, or its order refused. */
const TARGET_AGAIN_AFTER = { unsold: 1, refused: 5 } as const

/** The stop goes back to the broker, and is not replaced at once again. */
export const putTargetOff = (run: SignalRun, why: keyof typeof TARGET_AGAIN_AFTER): void => {
  const targetAfter = inMinutes(TARGET_AGAIN_AFTER[why])
  run.exit = { ...backToPlan(run.exit), failures: 0, notBefore: null, targetAfter }
}
