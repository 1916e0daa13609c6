import type { Order, SignalDetail, SignalEvent } from '#client/types.ts'
import { WORKING_STATUSES } from '#domain/order/order.ts'
import { isFailed, isOpening } from '#domain/signal/signal.ts'
import { exitSchedule } from '../words/signal.ts'
import { protectedNext, protectedSteps } from './protected-story.ts'
import type { Next, Step } from './steps.ts'
import { closedNote, isAllClosed, nothingLeft } from './result.ts'
import { endOf, EXIT_NAMES, filledAt, heldBecause } from '../words/status.ts'

export interface Stage {
  name: string
  is: 'done' | 'now' | 'ahead' | 'failed'
  /** UTC instant, past or planned. */
  at: string | null
  note?: string
  /** Time since the step before, and its reason; null if negligible. */
  wait: { ms: number | null; why: string | null } | null
}

interface Known {
  signal: SignalDetail
  events: readonly SignalEvent[]
  orders: readonly Order[]
}

/** An order by hand is the entry of its signal. */
const entryOf = (orders: readonly Order[]): Order | undefined => orders.find(({ role }) => role !== 'exit')

const isWorkingOrder = (order: Order): boolean =>
  (WORKING_STATUSES as readonly Order['status'][]).includes(order.status)

/** Steps from arrival to end, the time between them, and the reason of each wait. */
export function stagesOf(known: Known): Stage[] {
  const { signal, events } = known
  const stages: Stage[] = []
  let before: string | null = null
  let hasEnded = false
  for (const step of stepsOf(known)) {
    if (hasEnded) break
    const endsHere = !step.isDone && isFailed(signal.status)
    if (endsHere) step.failure = capital(endOf(signal))
    // The instant of a refusal is that of the attempt, which was judged a moment after it began.
    const at: string | null = endsHere
      ? later(before, endedAt(signal, events))
      : (step.at ?? step.plannedAt ?? null)
    hasEnded = step.failure !== undefined
    const isFirstOpen = stages.every(({ is }) => is === 'done')
    stages.push({
      name: step.failure ?? step.name,
      is: hasEnded ? 'failed' : step.isDone ? 'done' : isFirstOpen ? 'now' : 'ahead',
      at,
      ...(step.note !== undefined && !endsHere && { note: step.note }),
      wait: waitBetween(before, at, step.why ?? null, step.isDone || hasEnded),
    })
    before = at
  }
  return stages
}

function* stepsOf(known: Known): Generator<Step> {
  const { signal, orders } = known
  const { timings, exit } = signal
  const goneAt = isAllClosed(signal) ? (signal.result.closes.at(-1)?.at ?? null) : null
  yield { name: 'Received', at: timings.receivedAt, isDone: true }
  if (signal.origin !== 'adopted') {
    yield* releaseOf(known)
    yield { name: 'Sent', at: timings.sentAt, isDone: timings.sentAt !== null }
    yield filledStep(signal, orders)
  }
  if (!isOpening(signal.action)) return
  if (signal.protection !== null) {
    yield* protectedSteps(signal, goneAt)
    return
  }
  if (exit === null) {
    if (goneAt !== null)
      yield { name: 'Closed', at: goneAt, isDone: true, why: 'by others', ...closedNote(signal) }
    return
  }
  const plan = exitSchedule(signal)
  const isSent = timings.exitSentAt !== null
  const hasEnded = exit.status === 'cancelled' || exit.status === 'failed'
  if (goneAt !== null && !isSent) {
    const note = `${nothingLeft(signal)}: no exit is sent`
    yield { name: 'Closed', at: goneAt, isDone: true, why: 'by others', note }
    return
  }
  yield {
    name: isSent ? 'Exit sent' : 'Exit',
    at: timings.exitSentAt,
    plannedAt: exit.submitAt,
    isDone: isSent,
    why: plan?.when ?? null,
    ...(hasEnded && !isSent && { failure: capital(EXIT_NAMES[exit.status]) }),
  }
  yield {
    name: 'Closed',
    at: timings.exitFilledAt ?? goneAt,
    isDone: exit.status === 'filled' || goneAt !== null,
    why: 'in the market',
    ...closedNote(signal),
    ...(goneAt === null &&
      (hasEnded || exit.status === 'partially_filled') && { failure: capital(EXIT_NAMES[exit.status]) }),
  }
}

/** Steps that release the order: a person, its time, or the checks, after which a limit may require approval. */
function releaseOf({ signal, events }: Known): Step[] {
  const { executeMode, decidedAt, statusReason, timings, scheduledAt } = signal
  const isApproved = decidedAt !== null && statusReason !== 'DECLINED'
  const approval: Step = {
    name: 'Approved',
    at: isApproved ? decidedAt : null,
    isDone: isApproved,
    why: 'for approval',
  }
  if (executeMode === 'pending') return [approval]
  const isScheduled = executeMode === 'scheduled'
  const held = events.find(({ kind }) => kind === 'held')
  if (held)
    return [
      { name: 'Approval required', at: held.at, isDone: true, why: isScheduled ? 'until its time' : null },
      approval,
    ]
  const isChecked = timings.checkedAt !== null || timings.sentAt !== null
  if (isScheduled)
    return [{ name: 'Due', at: null, plannedAt: scheduledAt, isDone: isChecked, why: 'until its time' }]
  const hadToWait = events.some(({ kind, data }) => kind === 'waiting' && data?.['behind'] !== undefined)
  return [
    {
      name: 'Checked',
      at: timings.checkedAt,
      isDone: isChecked,
      why: hadToWait ? 'behind earlier signals' : null,
    },
  ]
}

function filledStep(signal: SignalDetail, orders: readonly Order[]): Step {
  const { filledQuantity, avgFillPrice, timings } = signal
  const entry = entryOf(orders)
  const isWorking = entry === undefined ? timings.filledAt === null : isWorkingOrder(entry)
  const note = filledQuantity > 0 ? filledAt(filledQuantity, avgFillPrice) : undefined
  return {
    name: filledQuantity > 0 && isWorking ? 'Partly filled' : 'Filled',
    at: timings.filledAt,
    isDone: filledQuantity > 0 && !isWorking,
    why: 'in the market',
    ...(note !== undefined && { note }),
    ...(entry && !isWorking && filledQuantity === 0 && { failure: UNFILLED[entry.status] ?? 'Not filled' }),
  }
}

const UNFILLED: Partial<Record<Order['status'], string>> = {
  CANCELLED: 'Order cancelled',
  REJECTED: 'Order rejected',
  EXPIRED: 'Order expired',
}

const ENDS: readonly SignalEvent['kind'][] = ['declined', 'cancelled', 'rejected', 'not_placed']

const endedAt = (signal: SignalDetail, events: readonly SignalEvent[]): string =>
  events.findLast(({ kind }) => ENDS.includes(kind))?.at ?? signal.updatedAt

const later = (before: string | null, at: string): string =>
  before !== null && Date.parse(before) > Date.parse(at) ? before : at

/**
 * A running wait counts by itself, so only its reason is given. A broker's clock may be behind the service's: its
 * report then counts as immediate.
 */
function waitBetween(
  before: string | null,
  at: string | null,
  why: string | null,
  hasEnded: boolean,
): Stage['wait'] {
  if (!hasEnded) return why === null ? null : { ms: null, why }
  if (before === null || at === null) return null
  return { ms: Math.max(0, Date.parse(at) - Date.parse(before)), why }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/**
 * Next step and its time; null if the signal ended as it should and there is nothing to say.
 *
 * @param held effect of a halt on the next order, in words; null without one
 * @param silence "Paper venue has not answered for 8 s"; null while its broker answers
 */
export function nextOf(
  { signal, orders }: Known,
  names: { entry: string; exit: string },
  held: string | null = null,
  silence: string | null = null,
): Next | null {
  const { status, exit, statusDetail } = signal
  const entry = entryOf(orders)
  if (status === 'cancelled' || signal.statusReason === 'DECLINED')
    return { tone: 'quiet', title: `${capital(endOf(signal))}. No order was sent`, ...because(statusDetail) }
  if (isFailed(status)) return { tone: 'danger', title: capital(endOf(signal)), ...because(statusDetail) }
  if (status === 'pending')
    return {
      tone: 'warn',
      title: heldBecause(signal) === null ? 'Needs approval' : 'Above your approval limit',
      why: [
        heldBecause(signal),
        signal.validUntil === null ? 'It has no time limit' : 'It then expires, and nothing is sent',
      ]
        .filter((text) => text !== null)
        .join('. '),
      ...(signal.validUntil !== null && { at: signal.validUntil }),
      isToDecide: true,
    }
  if (status === 'scheduled')
    return {
      tone: held === null ? 'accent' : 'warn',
      title: names.entry,
      why: held ?? 'Checked again right before it is sent',
      ...(signal.scheduledAt !== null &&
        (held === null || isOpening(signal.action)) && { at: signal.scheduledAt }),
    }
  if (status === 'queued')
    return silence === null
      ? { tone: 'accent', title: 'About to be sent' }
      : { tone: 'warn', title: 'Waits for the broker', why: `${silence}. It is sent as soon as possible` }
  // A fill is the answer, even while the order is looked up.
  if (status === 'transmitted' && signal.filledQuantity > 0)
    return { tone: 'accent', title: 'The broker has it, and it has filled', why: 'Its exit is planned next' }
  if (status === 'transmitted')
    return {
      tone: 'warn',
      title: 'Sent. The broker has not answered yet',
      why: `${silence === null ? '' : `${silence}. `}Do not send it again: nothing is sent twice. This updates automatically`,
    }
  if (entry && isWorkingOrder(entry))
    return {
      tone: 'accent',
      title: entry.filledQuantity > 0 ? 'The rest is working at the broker' : 'Working at the broker',
      ...(signal.expiresAt === null
        ? silence !== null
          ? { why: silence }
          : {
              why: exit === null ? 'It fills when the market takes it' : 'The exit follows once it has ended',
            }
        : { why: 'It is cancelled then', at: signal.expiresAt }),
    }
  return exit === null ? protectedNext(signal) : afterEntry(signal, exit, names.exit, held)
}

function afterEntry(
  signal: SignalDetail,
  exit: NonNullable<SignalDetail['exit']>,
  title: string,
  held: string | null,
): Next | null {
  if (signal.filledQuantity === 0)
    return { tone: 'quiet', title: 'Nothing was filled, so there is nothing to close' }
  if (isAllClosed(signal) && exit.status !== 'filled' && exit.status !== 'submitted')
    return {
      tone: 'quiet',
      title: nothingLeft(signal),
      why: 'All its shares are closed: no exit is sent for them',
    }
  const protection = protectedNext(signal)
  if (protection !== null) return protection
  switch (exit.status) {
    case 'waiting':
      return { tone: 'accent', title: 'The exit is being planned' }
    case 'scheduled':
      if (held !== null) return { tone: 'danger', title, why: `${held}. It is sent once trading is resumed` }
      return {
        tone: exit.reason === null || isMove(exit.reason) ? 'accent' : 'warn',
        title,
        why: exit.reason === null ? 'Checked again when it is sent' : reasonOf(exit.reason),
        ...(exit.submitAt !== null && { at: exit.submitAt }),
      }
    case 'submitted':
      return { tone: 'accent', title: 'The exit is working at the broker', ...because(reasonOf(exit.reason)) }
    case 'filled':
      return null
    case 'partially_filled':
      return {
        tone: 'danger',
        title: 'The exit has filled in part: the rest of the position stays open',
        ...because(reasonOf(exit.reason)),
      }
    case 'cancelled':
      return {
        tone: 'warn',
        title: 'No exit follows: the position stays until you close it',
        ...because(reasonOf(exit.reason)),
      }
    case 'failed':
      return {
        tone: 'danger',
        title: 'The exit has failed: the position stays open',
        ...because(reasonOf(exit.reason)),
      }
  }
}

const because = (text: string | null): { why?: string } => (text === null || text === '' ? {} : { why: text })

const MOVES: Readonly<Record<string, string>> = {
  exit_rolled_to_next_session: 'In the next session: its own time lies outside one',
  exit_moved_before_early_close: 'Earlier than requested: the exchange closes early that day',
}
const isMove = (reason: string): boolean => reason in MOVES
const REASONS: Readonly<Record<string, string>> = { ...MOVES, CANCELLED_BY_PERSON: 'Cancelled by a person' }
const reasonOf = (reason: string | null): string => (reason === null ? '' : (REASONS[reason] ?? reason))
