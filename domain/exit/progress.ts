import { instantAfter } from '../time/instants.ts'
import { add, isPositive, subtract, type Decimal, figure, sharesOf } from '../money/decimal.ts'
import {
  afterEarlyEnd,
  EXIT_TRIED_WITHIN,
  type ExitReason,
  type ExitStatus,
  type ReachedLevel,
} from './exit.ts'
import { parseClientOrderId, type OrderPurpose, type OrderReport, type OrderStatus } from '../order/order.ts'
import type { SignalTerms } from '../signal/signal.ts'

/** A lost workflow resumes from the stored progress. Instants are UTC. */
export interface ExitProgress {
  generation: number
  /** Filled shares of the entry that need no further exit. */
  coveredQuantity: Decimal
  /** At the broker, or ended there and not yet counted. */
  workingOrder: ExitOrder | null
  ended: string[]
  /** Orders that ended early without successor, with their shares. */
  uncovered: { clientOrderId: string; quantity: Decimal }[]
  cancelledBy: string | null
  /** By the broker's clock if it reports one. */
  entryEndedAt: string | null
  /** Of the time exit. `at`: null while unknown. `lookAt`: next look at the calendar, null for at once. */
  time: { at: string | null; lookAt: string | null }
  reached?: ReachedLevel
  waits: Partial<Record<ExitReason, Wait>>
  /** The feed's report that an obstacle may be gone. */
  retriedAt?: string
  sessionEndsAt?: string
  /** Absent if unchanged since the entry. */
  levelsSince?: string
  levelsEndedBy?: string
  timeHasEnded?: true
  /** After a rejection by an opposite order from elsewhere the next exit avoids it. */
  opposed?: true
  /** The fraction did not sell before the auction: whole shares come first. */
  wholeFirst?: true
}

/** obstacle: perhaps gone earlier, by the feed. refused: by the broker. closed: until the exchange opens. */
export interface Wait {
  why: 'obstacle' | 'refused' | 'closed'
  tries: number
  until: string
  detail: string
}

export type ExitsAsked = Pick<SignalTerms, 'exit' | 'protection'>

export interface ExitOrder {
  clientOrderId: string
  quantity: Decimal
  /** As `coveredQuantity`, once this order fills. */
  coversUpTo: Decimal
  reason: ExitReason
  filledThen: Decimal
  since: string
}

export interface ExitSize {
  quantity: Decimal
  coversQuantity: Decimal
  coveredBefore: Decimal
}

export interface CancelMarks {
  askedBy: string | null
  cancelledFor: string | null
}

/** session: its time in force or auction ended. broker: rejected or cancelled. */
export type EndCause =
  { by: 'person'; who: string } | { by: 'another_order' } | { by: 'session' } | { by: 'broker' }

/** The cause of an order's end: a person's cancel counts, also beside another order's. */
export function endCause(status: OrderStatus, { askedBy, cancelledFor }: CancelMarks): EndCause {
  if (status === 'EXPIRED') return { by: 'session' }
  if (status !== 'CANCELLED') return { by: 'broker' }
  if (askedBy !== null) return { by: 'person', who: askedBy }
  return cancelledFor === null ? { by: 'broker' } : { by: 'another_order' }
}

const FOR_PURPOSE = {
  entry: 'TIME',
  timed: 'TIME',
  plan: 'PROTECTION',
  target: 'TAKE_PROFIT',
} as const satisfies Record<OrderPurpose, ExitReason>

export const reasonById = (clientOrderId: string): ExitReason =>
  FOR_PURPOSE[parseClientOrderId(clientOrderId)!.purpose]

export const exitBegins = (generation = 1): ExitProgress => ({
  generation,
  coveredQuantity: '0',
  workingOrder: null,
  ended: [],
  uncovered: [],
  cancelledBy: null,
  entryEndedAt: null,
  time: { at: null, lookAt: null },
  waits: {},
})

export const afterUnsent = (progress: ExitProgress): ExitProgress => ({
  ...progress,
  generation: progress.generation + 1,
})

export const afterNothingToClose = (
  progress: ExitProgress,
  { coveredBefore, coversQuantity }: ExitSize,
): ExitProgress => ({ ...afterUnsent(progress), coveredQuantity: add(coveredBefore, coversQuantity) })

export function afterAcceptance(
  progress: ExitProgress,
  { quantity, coversQuantity, coveredBefore }: ExitSize,
  order: Pick<ExitOrder, 'clientOrderId' | 'reason' | 'filledThen' | 'since'>,
): ExitProgress {
  const { opposed: _, ...rest } = afterUnsent(progress)
  return { ...rest, workingOrder: { ...order, quantity, coversUpTo: add(coveredBefore, coversQuantity) } }
}

/** Minutes before each further try; the last value repeats. */
const LADDER = [0.1, 0.25, 1, 5, EXIT_TRIED_WITHIN]
/** Minutes before an unsold, blocked or rejected target counts again. */
const TARGET_AGAIN_AFTER = { obstacle: 1, closed: 1, refused: 5 } as const satisfies Record<
  Wait['why'],
  number
>
/** Minutes before an expired order is placed again. */
const AFTER_EXPIRY = 0.1

const later = (since: string, minutes: number): string => instantAfter(since, minutes * 60_000)

export function afterFailure(
  progress: ExitProgress,
  reason: ExitReason,
  { why, now, detail, until }: Pick<Wait, 'why' | 'detail'> & { now: string; until?: string },
): ExitProgress {
  if (reason === 'TAKE_PROFIT')
    return withoutTarget(progress, { why, tries: 0, detail, until: later(now, TARGET_AGAIN_AFTER[why]) })
  const before = progress.waits[reason]?.tries ?? 0
  const next = until ?? later(now, LADDER[Math.min(before, LADDER.length - 1)]!)
  const tries = until === undefined ? before + 1 : before
  return { ...progress, waits: { ...progress.waits, [reason]: { why, tries, until: next, detail } } }
}

export const longestWait = (now: string): string => later(now, EXIT_TRIED_WITHIN)

function withoutTarget(progress: ExitProgress, wait: Wait): ExitProgress {
  const waits = { ...progress.waits, TAKE_PROFIT: wait }
  return { ...withReached(progress, progress.reached === 'STOP_LOSS' ? 'STOP_LOSS' : null), waits }
}

export function withReached(
  { reached: _, ...progress }: ExitProgress,
  reached: ReachedLevel | null,
): ExitProgress {
  return { ...progress, ...(reached && { reached }) }
}

export function whileTried({ retriedAt: _, ...progress }: ExitProgress): ExitProgress {
  return progress
}

/** Null once a try is due, or the obstacle gone. */
export function endOfWait({ waits, retriedAt }: ExitProgress, reason: ExitReason, now: string): Wait | null {
  const wait = waits[reason]
  if (wait === undefined || wait.until <= now) return null
  return wait.why === 'obstacle' && retriedAt !== undefined ? null : wait
}

/** Throws TypeError for any order but the working one. */
export function afterExitOrder(
  progress: ExitProgress,
  order: OrderReport,
  cause: EndCause,
  asked: ExitsAsked,
): ExitProgress {
  const { workingOrder } = progress
  if (workingOrder?.clientOrderId !== order.clientOrderId)
    throw new TypeError(`${order.clientOrderId} is not the exit order that works`)
  const { clientOrderId, quantity, coversUpTo, reason } = workingOrder
  const rest = subtract(quantity, order.filledQuantity)
  const endedAt = order.endedAt ?? order.submittedAt
  let after: ExitProgress = { ...progress, workingOrder: null, ended: [...progress.ended, clientOrderId] }
  if (isPositive(order.filledQuantity)) after.waits = {}
  if (reason === 'TAKE_PROFIT') {
    const why = cause.by === 'broker' ? 'refused' : 'closed'
    after = afterFailure(after, reason, { why, now: endedAt, detail: 'the target to count again' })
  }
  if (!isPositive(rest)) return { ...after, coveredQuantity: coversUpTo }
  if (reason === 'TIME' && asked.exit?.timeInForce === 'cls' && order.timeInForce !== 'cls')
    after.wholeFirst = true
  if (order.status === 'EXPIRED' && isOfLevels(reason) && asked.protection?.until === 'session')
    after.sessionEndsAt = endedAt
  // The caller records that a person wants no exit.
  const open = { ...after, coveredQuantity: subtract(coversUpTo, rest) }
  if (cause.by === 'person' || cause.by === 'another_order') return open
  return (
    leftAfter(reason, order, open, asked) ?? {
      ...after,
      coveredQuantity: coversUpTo,
      uncovered: [...progress.uncovered, { clientOrderId, quantity }],
    }
  )
}

const isOfLevels = (reason: ExitReason): boolean => reason === 'PROTECTION' || reason === 'TAKE_PROFIT'

/** Null without a further exit; `open` counts the shares left open. */
function leftAfter(
  reason: ExitReason,
  { status, endedAt, submittedAt }: OrderReport,
  open: ExitProgress,
  { exit, protection }: ExitsAsked,
): ExitProgress | null {
  const now = endedAt ?? submittedAt
  if (reason === 'TIME') {
    if (exit === null || afterEarlyEnd(exit, status) === 'again') return open
    return protection ? { ...open, timeHasEnded: true } : null
  }
  if (!isOfLevels(reason) || status !== 'EXPIRED') return open
  if (open.sessionEndsAt === now) return exit !== null && open.timeHasEnded === undefined ? open : null
  const wait = { why: 'closed', now, until: later(now, AFTER_EXPIRY) } as const
  return afterFailure(open, 'PROTECTION', {
    ...wait,
    detail: 'the order of the levels to be placed again',
  })
}

export function afterLevelsChanged(
  progress: ExitProgress,
  { at, endedBy }: { at: string; endedBy: string | null },
): ExitProgress {
  const { reached: _, sessionEndsAt: __, levelsEndedBy: ___, waits, ...rest } = progress
  return {
    ...rest,
    levelsSince: at,
    time: { ...progress.time, lookAt: null },
    waits: { ...(waits.TIME && { TIME: waits.TIME }) },
    ...(endedBy !== null && { levelsEndedBy: endedBy }),
  }
}

/** Another exit, timed like the first, for a later fill. */
export function exitAtEnd(progress: ExitProgress): ExitProgress {
  const { timeHasEnded: _, reached: __, retriedAt: ___, ...rest } = afterUnsent(progress)
  return { ...rest, workingOrder: null, waits: {}, time: { at: null, lookAt: null } }
}

interface ExitEnd {
  status: ExitStatus
  reason: string | null
  message: string
  unprotected: Decimal | null
}

export function describeExitEnd(
  exit: ExitProgress,
  reportOf: (clientOrderId: string) => OrderReport,
): ExitEnd {
  const orders = exit.ended.map(reportOf)
  const filled = orders.reduce<Decimal>((sum, { filledQuantity }) => add(sum, filledQuantity), '0')
  const rest = exit.uncovered.reduce<Decimal>(
    (sum, { clientOrderId, quantity }) =>
      add(sum, subtract(quantity, reportOf(clientOrderId).filledQuantity)),
    '0',
  )
  if (!isPositive(rest)) {
    const fills = orders
      .filter(({ filledQuantity }) => isPositive(filledQuantity))
      .map((order) => `${figure(order.filledQuantity)} at ${figure(order.avgFillPrice ?? '0')}`)
    const message =
      fills.length > 0
        ? `The exit is filled: ${fills.join(', then ')}`
        : 'The position was closed before the exit was due; no exit order was needed'
    return fills.length > 0
      ? { status: 'filled', reason: null, message, unprotected: null }
      : { status: 'cancelled', reason: 'POSITION_ALREADY_CLOSED', message, unprotected: null }
  }
  const isFilled = isPositive(filled)
  const { status, reason: why } = reportOf(exit.uncovered.at(-1)!.clientOrderId)
  return {
    status: isFilled ? 'partially_filled' : 'cancelled',
    reason: `The exit order ended ${status}${why ? `: ${why}` : ''}`,
    message:
      `The exit order ended ${isFilled ? 'early' : 'without a fill'}: ` +
      `closed ${sharesOf(filled, add(filled, rest))}; the rest has no exit`,
    unprotected: rest,
  }
}
