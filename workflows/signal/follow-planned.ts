import { compare } from '#domain/decimal.ts'
import { isForOf, type ExitOrder } from '#domain/exit-progress.ts'
import type { ExitFor } from '#domain/exit.ts'
import { figure } from '#domain/figures.ts'
import { fillsAtOnce, type OrderReport } from '#domain/order.ts'
import { distanceInWords } from '#domain/protection.ts'
import { followOrder } from '../order/follow.ts'
import { planBeside } from './exit-plan.ts'
import { recordTrouble, tellNotCancelled, waitUntilOrFilledFurther } from './exit-retry.ts'
import {
  exitWanted,
  giveTargetUp,
  hasPlanNews,
  heedPlanNews,
  isOutdated,
  isPlanLookDue,
  nextExitId,
  nextPlanNews,
  putTargetOff,
} from './plan-news.ts'
import type { SignalRun } from './run.ts'
import { persistBriefly, step } from '../steps/steps.ts'
import type { Deadline } from '../steps/waits.ts'
import { inMinutes, millisecondsUntil, workflowNow } from '../steps/workflow-time.ts'

/** Milliseconds for a watched target; then the stop goes back to the broker. */
const TARGET_WORKS_FOR = 10_000
/** Minutes before a failed change of the order is tried again. */
const ADJUSTED_AGAIN_AFTER = 0.25
const CHANGE = 'Change the order as the exit plan wants it'
/** Minutes between looks at a full stop. */
const STOPPED_FOR = 1

const EXIT_NAMES: Record<ExitFor, string> = {
  plan: 'order of the exit plan',
  target: 'order at the target',
  stop: 'exit order',
  timed: 'exit order',
}

/**
 * Follows an exit order of a signal with an exit plan. It normally rests; it gives way when the timed exit is
 * due, a level is crossed that it does not act upon, the plan needs another kind of order, or more shares are
 * open. During a full stop it stays, because no other order could be sent.
 */
export async function followPlanned(run: SignalRun, working: ExitOrder): Promise<void> {
  const { clientOrderId, quantity, filledThen = working.coversUpTo } = working
  const { signalId, accountId, symbol } = run.terms
  const isFor = isForOf(working)
  const isAtMarket = fillsAtOnce(run.placed(clientOrderId))
  const targetEnds = new Date(Date.parse(run.lastNewsAt(clientOrderId)) + TARGET_WORKS_FOR).toISOString()
  let givesWayTo: string | null = null
  let adjustAgainAt: string | null = null
  let stoppedUntil: string | null = null
  /** The owner knows that the order which has to replace it cannot be sent. */
  let isStopTold = false
  let isToBeOther = false
  /** The plan was changed, and the stop may be farther from the price than before. */
  let isLoosened = false

  const isWanted = (of: ExitFor) => isFor === of && exitWanted(run) === of
  const isTargetOver = () => isWanted('target') && millisecondsUntil(targetEnds) === 0
  const isTooSmall = () => isWanted('plan') && compare(run.entry.filledQuantity, filledThen) > 0
  const isStopped = () => stoppedUntil !== null && millisecondsUntil(stoppedUntil) > 0
  const isToGiveWay = () =>
    isTargetOver() ||
    isTooSmall() ||
    run.exitRetryAsked ||
    isToBeOther ||
    isOutdated(run, working, isAtMarket)
  const isToAdjust = () => adjustAgainAt !== null && millisecondsUntil(adjustAgainAt) === 0
  const isToLookAgain = () => stoppedUntil !== null && !isStopped()
  const areDue = () =>
    hasPlanNews(run) ||
    isToAdjust() ||
    isToLookAgain() ||
    (givesWayTo === null && !isStopped() && isToGiveWay())

  async function answer(): Promise<void> {
    if (isPlanLookDue(run)) await planBeside(run, run.terms.exit!)
    if (isToLookAgain()) stoppedUntil = null
    const isToAdjustNow = isToAdjust()
    if (isToAdjustNow) adjustAgainAt = null
    const mayGrow = run.exitRetryAsked
    const mayLoosen = run.isPlanNew || isLoosened
    run.exitRetryAsked = false
    const hasMoved = await heedPlanNews(run)
    if (isTargetOver()) putTargetOff(run, 'unsold')
    if (run.hasEnded(clientOrderId)) return
    if (exitWanted(run) === null) takeAway(run, clientOrderId)
    else if (isOutdated(run, working, isAtMarket)) await giveWay(exitWanted(run)!)
    else if (isTooSmall()) await giveWay('plan')
    else if (isFor === 'plan' && (hasMoved || mayGrow || isToBeOther || isToAdjustNow)) {
      isToBeOther = await isOfAnotherKind(mayLoosen)
      if (isToBeOther) await giveWay('plan')
    }
  }

  /** Not during a full stop, of which the owner is alerted where shares lack an order. */
  async function giveWay(to: ExitFor): Promise<void> {
    if (givesWayTo !== null || isStopped()) return
    // A plan that was taken away has its order cancelled in any case.
    const hasPlan = run.terms.protection !== undefined
    const { detail } = hasPlan
      ? await step('readHalt', 'Check whether all trading is stopped', { accountId })
      : { detail: null }
    if (detail === null) {
      givesWayTo = nextExitId(run, to)
      return
    }
    stoppedUntil = inMinutes(STOPPED_FOR)
    const protectsAll = to === 'target' || (to === isFor && !isTooSmall())
    if (to === 'target') giveTargetUp(run)
    if (protectsAll || isStopTold) return
    isStopTold = true
    await recordTrouble(run, { generation: run.exit.generation, kind: 'held', code: null, detail })
  }

  /** A failed change holds up nothing else, and is tried again. */
  async function isOfAnotherKind(mayLoosen: boolean): Promise<boolean> {
    const isPart = run.isFilledBeyond(working)
    const input = { signalId, accountId, symbol, clientOrderId, quantity, isPart, mayLoosen }
    const tried = await persistBriefly('adjustProtection', CHANGE, input)
    adjustAgainAt = tried.completed ? null : inMinutes(ADJUSTED_AGAIN_AFTER)
    isLoosened = mayLoosen && !tried.completed
    return tried.completed && tried.result === 'other'
  }

  await followOrder(run, clientOrderId, {
    name: EXIT_NAMES[isFor],
    givesWayTo: () => givesWayTo,
    hangs: () => tellNotCancelled(run, clientOrderId, givesWayTo!),
    waitsFor: () => inWords(run.placed(clientOrderId)),
    messages: { areDue, answer },
    async wait(isReached, deadline) {
      const target = {
        at: targetEnds,
        summary: 'Take the target back, and have the stop at the broker again',
      }
      const own = isWanted('target') && givesWayTo === null ? target : nextPlanNews(run)
      const again = isStopped()
        ? { at: stoppedUntil!, summary: 'Check again whether all trading is stopped' }
        : null
      const adjust = adjustAgainAt === null ? null : { at: adjustAgainAt, summary: CHANGE }
      const next = [own, again, adjust, deadline].reduce(sooner)
      await waitUntilOrFilledFurther(run, isReached, next)
      return isReached()
    },
  })
}

/** Without a further exit the position stays with the person who wanted that. */
function takeAway(run: SignalRun, clientOrderId: string): void {
  if (run.orderCancel?.clientOrderId === clientOrderId) return
  const by = run.planEndedBy ?? 'its owner'
  run.orderCancel = { clientOrderId, by, at: workflowNow(), isAsked: false }
}

const sooner = (one: Deadline | null, other: Deadline | null): Deadline | null => {
  if (one === null || other === null) return one ?? other
  return one.at < other.at ? one : other
}

/** "the stop at 95 or the target at 110 to be reached, at the broker as ..." */
function inWords({ orderType, stopPrice, limitPrice, trail, clientOrderId }: OrderReport): string {
  const stop = trail
    ? `the trailing stop of ${distanceInWords(trail)}`
    : `the stop at ${figure(stopPrice ?? '0')}`
  const target = `the target at ${figure(limitPrice ?? '0')}`
  const levels =
    orderType === 'limit'
      ? target
      : orderType === 'oco'
        ? `${stop} or ${target}`
        : orderType === 'market'
          ? null
          : stop
  return levels === null
    ? 'the exit order to end'
    : `${levels} to be reached, at the broker as ${clientOrderId}`
}
