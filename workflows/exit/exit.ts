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

/** Minutes before a failed change of the order is tried again. */
const ADJUSTED_AGAIN_AFTER = 0.25
const ADJUSTED_AGAIN_WHILE_HALTED = 1

const ORDER_NAMES = {
  plan: 'stop and target order',
  target: 'order at the target',
  timed: 'exit order',
} as const

/** To its end, which counts. It gives way where another exit is desired. */
async function followExit(run: SignalRun, working: ExitOrder): Promise<void> {
  const { clientOrderId, reason } = working
  let givesWayTo: ExitReason | null = null
  let adjustAgainAt: string | null = null
  let told: string | null = null

  const again = (): string | null => (run.look?.wish.what === 'none' ? null : (run.look?.wish.again ?? null))
  const hasCome = (at: string | null): boolean => at !== null && millisecondsUntil(at) === 0

  async function answer(): Promise<void> {
    const isToAdjust = hasCome(adjustAgainAt)
    if (isToAdjust) adjustAgainAt = null
    if (!isToAdjust && run.look !== null && !run.hasNews && !hasCome(again())) return
    const { wish, isServed, isBehind, isHalted } = await lookAtExit(run)
    if (run.hasEnded(clientOrderId) || givesWayTo !== null) return
    if (wish.what === 'none') return takeAway(run, clientOrderId)
    if (wish.what === 'wait' && wish.keeps?.alert != null && wish.keeps.alert !== told) {
      told = wish.keeps.alert
      const held = { generation: run.exit.generation, kind: 'held', code: null, detail: told } as const
      await recordTrouble(run, held, { reason })
    }
    if (isBehind && adjustAgainAt === null && (await isOfAnotherKind())) {
      // No other order could take its place.
      if (isHalted) adjustAgainAt = inMinutes(ADJUSTED_AGAIN_WHILE_HALTED)
      else givesWayTo = 'PROTECTION'
    }
    if (!isServed) givesWayTo = wish.what === 'order' ? wish.reason : 'TIME'
  }

  /** A failed change holds up nothing else, and is tried again. */
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
    givesWayTo: () => givesWayTo && run.nextExitId(givesWayTo),
    hangs: () => notifyNotCancelled(run, clientOrderId, givesWayTo!),
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

/** Without a further exit the position stays with the person who wanted that. */
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
  // A person who cancels the exit order wants no exit any more, and knows of the position.
  if (cause.by === 'person') await cancelExitFor(run, cause.who)
  // The owner is notified when it is cancelled; the end of a session is normal for an order of the levels.
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

/** By the ledger, so that a rebuilt run gets the same. */
async function causeOf({ clientOrderId, status }: OrderReport): Promise<EndCause> {
  const marks =
    status === 'CANCELLED'
      ? await step('readCancelMarks', 'Look up why the exit was cancelled', { clientOrderId })
      : { askedBy: null, gaveWayTo: null }
  return endCause(status, marks)
}

/** "the stop at 95 or the target at 110 to be reached, at the broker as ..." */
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

/** Brings the exit at the broker to the one that is desired, until nothing is left to close. */
export async function runExit(run: SignalRun): Promise<void> {
  run.phase = 'exiting'
  for (;;) {
    const { workingOrder } = run.exit
    if (workingOrder !== null) {
      await followExit(run, workingOrder)
      continue
    }
    const { wish, revision } = await lookAtExit(run)
    // A person may cancel it while its time is found.
    if (run.isDeciding) await condition(() => !run.isDeciding)
    else if (wish.what === 'none') {
      if (await endExit(run, wish.why)) return
    } else if (wish.what === 'wait') {
      run.waitFor(wish.for, wish.until)
      await waitUntil(
        run,
        () => run.hasNews,
        wish.again === null ? null : { at: wish.again, summary: describe(run, wish) },
      )
    } else await placeExit(run, wish, revision)
  }
}

/** Read on the timer in Temporal's UI. */
function describe({ entry, exit, terms }: SignalRun, wish: { for: string; until: string | null }): string {
  const left = subtract(entry.filledQuantity, exit.coveredQuantity)
  const until = wish.until === null ? '' : `until ${wish.until} `
  return `Exit ${left} ${terms.symbol}: waits ${until}for ${wish.for}`
}

/** False where an earlier decision goes on. */
async function endExit(run: SignalRun, why: 'closed' | 'cancelled' | 'over'): Promise<boolean> {
  const { cancelledBy, levelsEndedBy, sessionEndsAt, timeIsOver } = run.exit
  if (cancelledBy !== null) {
    const message = exitCancelledMessage(cancelledBy)
    await close(run, { message, exit: null, rejected: false, unprotected: null })
    return true
  }
  if (why === 'over' && sessionEndsAt === undefined && timeIsOver === undefined) {
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
  // Left by an order that ended shortly before the end of the session of the levels, or filled after it.
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
