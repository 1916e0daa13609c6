import { compare, figure, sharesOf, add, isPositive, subtract } from '#domain/money/decimal.ts'
import {
  afterExitOrder,
  endCause,
  type EndCause,
  type ExitOrder,
  describeExitEnd,
} from '#domain/exit/progress.ts'
import { exitPurpose, type ExitReason, EXIT_AT_MARKET, exitCancelledMessage } from '#domain/exit/exit.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { distanceInWords } from '#domain/exit/protection.ts'
import { recordUnasked, followOrder } from '../order/follow.ts'
import { runBounded, step, waitUntil, type Deadline } from '../steps/steps.ts'
import { inMinutes, millisecondsUntil, workflowNow } from '../steps/workflow-time.ts'
import { cancelExitFor, recordTrouble, reportTrouble, notifyNotCancelled } from './trouble.ts'
import { lookAtExit } from './look.ts'
import type { SignalRun } from '../signal/run.ts'
import { condition } from '@temporalio/workflow'
import { close } from '../signal/close.ts'
import { placeExit } from './place.ts'

/** Minutes before a failed change is tried again. */
const ADJUSTED_AGAIN_AFTER = 0.25
const ADJUSTED_AGAIN_WHILE_HALTED = 1

const ORDER_NAMES = {
  plan: 'stop and target order',
  target: 'order at the target',
  timed: 'exit order',
} as const

/** Follows the order to its end; it is cancelled for another desired exit. */
async function followExit(run: SignalRun, working: ExitOrder): Promise<void> {
  const { clientOrderId, reason } = working
  let cancelledForReason: ExitReason | null = null
  let adjustAgainAt: string | null = null
  let told: string | null = null

  const again = (): string | null =>
    run.look?.desired.what === 'none' ? null : (run.look?.desired.again ?? null)
  const hasCome = (at: string | null): boolean => at !== null && millisecondsUntil(at) === 0

  async function answer(): Promise<void> {
    const isToAdjust = hasCome(adjustAgainAt)
    if (isToAdjust) adjustAgainAt = null
    if (!isToAdjust && run.look !== null && !run.hasNews && !hasCome(again())) return
    const { desired, isServed, isBehind, isHalted } = await lookAtExit(run)
    if (run.hasEnded(clientOrderId) || cancelledForReason !== null) return
    if (desired.what === 'none') return takeAway(run, clientOrderId)
    if (desired.what === 'wait' && desired.keeps?.alert != null && desired.keeps.alert !== told) {
      told = desired.keeps.alert
      const held = { generation: run.exit.generation, kind: 'held', code: null, detail: told } as const
      await recordTrouble(run, held, { reason })
    }
    if (isBehind && adjustAgainAt === null && (await isOfAnotherKind())) {
      // No other order could take its place.
      if (isHalted) adjustAgainAt = inMinutes(ADJUSTED_AGAIN_WHILE_HALTED)
      else cancelledForReason = 'PROTECTION'
    }
    if (!isServed) cancelledForReason = desired.what === 'order' ? desired.reason : 'TIME'
  }

  /** A failed change is tried again, and delays nothing else. */
  async function isOfAnotherKind(): Promise<boolean> {
    const { signalId, accountId, symbol } = run.terms
    const isPart = compare(run.entry.filledQuantity, working.coversUpTo) > 0
    const input = {
      signalId,
      accountId,
      symbol,
      clientOrderId,
      quantity: working.quantity,
      isPart,
    }
    const tried = await runBounded('adjustProtection', CHANGE, input)
    adjustAgainAt = tried.completed ? null : inMinutes(ADJUSTED_AGAIN_AFTER)
    return tried.completed && tried.result === 'other'
  }

  await followOrder(run, clientOrderId, {
    name: ORDER_NAMES[exitPurpose(reason)],
    cancelledForReason: () => cancelledForReason && run.nextExitId(cancelledForReason),
    hangs: () => notifyNotCancelled(run, clientOrderId, cancelledForReason!),
    waitsFor: () => inWords(run.placed(clientOrderId)),
    messages: {
      areDue: () => run.look === null || run.hasNews || hasCome(again()) || hasCome(adjustAgainAt),
      answer,
    },
    wait: (isReached, deadline) =>
      waitUntil(run, isReached, [at(again(), LOOK), at(adjustAgainAt, CHANGE), deadline].reduce(sooner)),
  })
  await countEnd(run, working)
}

const CHANGE = 'Change the stop and target order'
const LOOK = 'Look again which exit order should be at the broker'

const at = (instant: string | null, summary: string): Deadline | null =>
  instant === null ? null : { at: instant, summary }

const sooner = (one: Deadline | null, other: Deadline | null): Deadline | null => {
  if (one === null || other === null) return one ?? other
  return one.at < other.at ? one : other
}

/** The position stays with the person, without a further exit. */
function takeAway(run: SignalRun, clientOrderId: string): void {
  if (run.orderCancel?.clientOrderId === clientOrderId) return
  const by = run.exit.levelsEndedBy ?? 'its owner'
  run.orderCancel = { clientOrderId, by, at: workflowNow(), isAsked: false }
}

async function countEnd(run: SignalRun, working: ExitOrder): Promise<void> {
  const { clientOrderId, quantity, reason } = working
  if (run.placed(clientOrderId).status === 'CANCELLED') await recordUnasked(run, clientOrderId)
  const cause = await causeOf(run.placed(clientOrderId))
  const order = run.placed(clientOrderId)
  run.look = null
  run.exit = afterExitOrder(run.exit, order, cause, run.terms)
  const { coveredQuantity, generation } = run.exit
  if (compare(coveredQuantity, working.coversUpTo) >= 0) return
  // A person who cancels wants no exit any more.
  if (cause.by === 'person') await cancelExitFor(run, cause.who)
  // The end of a session is normal for an order of the levels.
  const isNormal = cause.by === 'session' && (reason === 'PROTECTION' || reason === 'TAKE_PROFIT')
  if (cause.by === 'person' || cause.by === 'another_order' || isNormal) return
  const why = order.reason === null ? '' : ` (${order.reason})`
  await reportTrouble(run, reason, {
    generation: generation - 1,
    kind: 'ended',
    code: null,
    detail: `${order.status}${why}, with ${sharesOf(order.filledQuantity, quantity)} closed`,
  })
}

/** Read from the ledger: a rebuilt run gets the same cause. */
async function causeOf({ clientOrderId, status }: OrderReport): Promise<EndCause> {
  const marks =
    status === 'CANCELLED'
      ? await step('readCancelMarks', 'Look up why the exit was cancelled', { clientOrderId })
      : { askedBy: null, cancelledFor: null }
  return endCause(status, marks)
}

function inWords({ orderType, stopPrice, limitPrice, trail, clientOrderId }: OrderReport): string {
  const stop = trail
    ? `the trailing stop of ${distanceInWords(trail)}`
    : `the stop at ${figure(stopPrice ?? '0')}`
  const target = `the target at ${figure(limitPrice ?? '0')}`
  const levels = { limit: target, oco: `${stop} or ${target}`, market: null }[orderType as string]
  return levels === null
    ? 'the exit order to end'
    : `${levels ?? stop} to be reached, at the broker as ${clientOrderId}`
}

/** Brings the exit at the broker to the desired one, until nothing is left to close. */
export async function runExit(run: SignalRun): Promise<void> {
  run.phase = 'exiting'
  for (;;) {
    const { workingOrder } = run.exit
    if (workingOrder !== null) {
      await followExit(run, workingOrder)
      continue
    }
    const { desired, revision } = await lookAtExit(run)
    if (run.isDeciding) await condition(() => !run.isDeciding)
    else if (desired.what === 'none') {
      if (await endExit(run, desired.why)) return
    } else if (desired.what === 'wait') {
      run.waitFor(desired.for, desired.until)
      await waitUntil(
        run,
        () => run.hasNews,
        desired.again === null ? null : { at: desired.again, summary: describe(run, desired) },
      )
    } else await placeExit(run, desired, revision)
  }
}

function describe({ entry, exit, terms }: SignalRun, desired: { for: string; until: string | null }): string {
  const left = subtract(entry.filledQuantity, exit.coveredQuantity)
  const until = desired.until === null ? '' : `until ${desired.until} `
  return `Exit ${left} ${terms.symbol}: waits ${until}for ${desired.for}`
}

/** False where an earlier decision continues. */
async function endExit(run: SignalRun, why: 'closed' | 'cancelled' | 'over'): Promise<boolean> {
  const { cancelledBy, levelsEndedBy, sessionEndsAt, timeHasEnded } = run.exit
  if (cancelledBy !== null) {
    const message = exitCancelledMessage(cancelledBy)
    await close(run, { message, exit: null, rejected: false, unprotected: null })
    return true
  }
  if (why === 'over' && sessionEndsAt === undefined && timeHasEnded === undefined) {
    const decision = await cancelExitFor(run, levelsEndedBy ?? 'its owner')
    // The order of an earlier decision may be at the broker.
    const earlier = { what: 'order', reason: 'CLOSE_AT_MARKET', terms: EXIT_AT_MARKET, again: null } as const
    if (decision === 'too_late') await placeExit(run, earlier, 0)
    return false
  }
  const { message, unprotected, ...exit } = describeExitEnd(run.exit, (id) => run.placed(id))
  const { coveredQuantity } = run.exit
  const { filledQuantity } = run.entry
  if (compare(coveredQuantity, filledQuantity) >= 0) {
    await close(run, { message, exit, rejected: false, unprotected })
    return true
  }
  // The order ended shortly before the session of the levels did, or filled after it.
  const rest = add(unprotected ?? '0', subtract(filledQuantity, coveredQuantity))
  const over = `The stop and target have ended, and ${sharesOf(rest, filledQuantity)} have no exit`
  const isPart = isPositive(run.exitFilled)
  const status = isPart ? 'partially_filled' : 'cancelled'
  await close(run, {
    message: isPart ? `${message}. ${over}` : over,
    exit: { status, reason: 'The stop and target have ended' },
    rejected: false,
    unprotected: rest,
  })
  return true
}
