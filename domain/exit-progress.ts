import { add, isPositive, subtract, type Decimal } from './decimal.ts'
import { afterEarlyEnd, type ExitFor, type ExitStatus } from './exit.ts'
import { figure, sharesOf } from './figures.ts'
import { parseClientOrderId, type OrderPurpose, type OrderReport, type OrderStatus } from './order.ts'
import type { SignalTerms } from './signal.ts'

/**
 * How far the exit of a signal has come: the one account of it. The workflow keeps it, and each write of an exit stores it; a
 * workflow that was lost goes on from the stored one, brought up to date with the sizes and orders that came after it.
 */
export interface ExitProgress {
  /** Number of the next exit order; counts from 1. */
  generation: number
  /** Filled shares of the entry that need no further exit: exits were sent for them, or they were closed otherwise. */
  coveredQuantity: Decimal
  /** The exit order that is with the broker, or has ended there without having been counted. */
  workingOrder: ExitOrder | null
  /** Client order ids of the exit orders that have ended. */
  ended: string[]
  /** Those of them that ended too early and after which no further exit follows, with the shares that each was to close. */
  uncovered: { clientOrderId: string; quantity: Decimal }[]
  /** The person who has cancelled the exit, which is in the ledger; null when nobody has. */
  cancelledBy: string | null
  /** End of the entry, from which the exit is timed; UTC instant, by the broker's clock where it reports one. */
  entryEndedAt: string | null
  /** Failed attempts since the last fill of an exit order. */
  failures: number
  /** Time of the next attempt; UTC instant. Null when there is nothing to wait for. */
  notBefore: string | null
  /** The broker has refused an exit because of an order from elsewhere on the other side: the next ones go round it. */
  opposed?: true
  /** The broker has not sold the part of a share that leaves before the auction: the whole shares leave first. */
  wholeFirst?: true
  /** The next order is for that, of a signal with an exit plan; the order of the plan unless given. */
  next?: Exclude<ExitFor, 'plan'>
  /** A watched target that is reached counts from this UTC instant on again: its last order could not be placed. */
  targetAfter?: string
  /** The exit plan was for its session, which is over. */
  planIsOver?: true
  /** The timed exit has been tried, and ended without closing everything. */
  timedIsOver?: true
}

/** The exits that a signal asks for. */
export type ExitsAsked = Pick<SignalTerms, 'exit' | 'protection'>

export interface ExitOrder {
  clientOrderId: string
  /** Shares, as it was sized. */
  quantity: Decimal
  /** Filled shares of the entry that need no further exit once it has filled. */
  coversUpTo: Decimal
  /** Of a signal with an exit plan; absent for any other. */
  isFor?: ExitFor
  /** As that: the filled shares of the entry when it was sized. */
  filledThen?: Decimal
}

/** What an exit order is for. */
export const isForOf = ({ clientOrderId, isFor }: Pick<ExitOrder, 'clientOrderId' | 'isFor'>): ExitFor =>
  isFor ?? FOR_PURPOSE[parseClientOrderId(clientOrderId)!.purpose]

const FOR_PURPOSE = {
  entry: 'timed',
  timed: 'timed',
  plan: 'plan',
  target: 'target',
} as const satisfies Record<OrderPurpose, ExitFor>

/** A size of an exit. `coversQuantity`: the filled shares of the entry that need no further exit once it has filled. */
export interface ExitSize {
  quantity: Decimal
  coversQuantity: Decimal
  /** The `coveredQuantity` of the progress that it was worked out from. */
  coveredBefore: Decimal
}

/** Who wants an order cancelled, and the client order id of our order that it gives way to, as the ledger has them. */
export interface CancelMarks {
  askedBy: string | null
  gaveWayTo: string | null
}

/**
 * Why an order has ended before it had filled. session: its time in force was over, or its auction took no more of it. broker: the
 * broker rejected or cancelled it, or a person did at the broker's own site.
 */
export type EndCause =
  | { by: 'person'; who: string }
  | { by: 'another_order'; which?: string }
  | { by: 'session' }
  | { by: 'broker' }

/** The person counts, also where the order was to give way as well. */
export function endCause(status: OrderStatus, { askedBy, gaveWayTo }: CancelMarks): EndCause {
  if (status === 'EXPIRED') return { by: 'session' }
  if (status !== 'CANCELLED') return { by: 'broker' }
  if (askedBy !== null) return { by: 'person', who: askedBy }
  return gaveWayTo === null ? { by: 'broker' } : { by: 'another_order', which: gaveWayTo }
}

/** An exit of which no order was sent. */
export const exitBegins = (generation = 1): ExitProgress => ({
  generation,
  coveredQuantity: '0',
  workingOrder: null,
  ended: [],
  uncovered: [],
  cancelledBy: null,
  entryEndedAt: null,
  failures: 0,
  notBefore: null,
})

/** The number of the next exit is used up without an order that counts: refused, or given up. */
export const afterUnsent = (progress: ExitProgress): ExitProgress => ({
  ...progress,
  generation: progress.generation + 1,
  notBefore: null,
})

/** The next exit has nothing to close: others have closed the shares. */
export const afterNothingToClose = (
  progress: ExitProgress,
  { coveredBefore, coversQuantity }: ExitSize,
): ExitProgress => ({ ...afterUnsent(progress), coveredQuantity: add(coveredBefore, coversQuantity) })

/** The broker has the next exit order, which was sized like that. */
export function afterAcceptance(
  progress: ExitProgress,
  { quantity, coversQuantity, coveredBefore }: ExitSize,
  clientOrderId: string,
  ofPlan?: Pick<ExitOrder, 'isFor' | 'filledThen'>,
): ExitProgress {
  const { opposed: _, ...rest } = afterUnsent(progress)
  const coversUpTo = add(coveredBefore, coversQuantity)
  return { ...rest, workingOrder: { clientOrderId, quantity, coversUpTo, ...ofPlan } }
}

/** The exit order that was working has ended. Throws for any other order. */
export function afterExitOrder(
  progress: ExitProgress,
  order: OrderReport,
  cause: EndCause,
  asked: ExitsAsked,
): ExitProgress {
  const { workingOrder } = progress
  if (workingOrder?.clientOrderId !== order.clientOrderId)
    throw new TypeError(`${order.clientOrderId} is not the exit order that works`)
  const { clientOrderId, quantity, coversUpTo } = workingOrder
  const isFor = isForOf(workingOrder)
  const rest = subtract(quantity, order.filledQuantity)
  const after: ExitProgress = {
    // A stop that was reached while the target was worked at comes next.
    ...(progress.next === 'target' ? backToPlan(progress) : progress),
    workingOrder: null,
    ended: [...progress.ended, clientOrderId],
    ...(isPositive(order.filledQuantity) && { failures: 0 }),
  }
  if (!isPositive(rest)) return { ...after, coveredQuantity: coversUpTo }
  // The part of a share that leaves before the auction did not.
  if (isFor === 'timed' && asked.exit?.timeInForce === 'cls' && order.timeInForce !== 'cls')
    after.wholeFirst = true
  const open = { ...after, coveredQuantity: subtract(coversUpTo, rest) }
  // What an order that it gave way to leaves open needs an exit again; a person who cancelled it wants none, as is recorded next.
  if (cause.by === 'person') return open
  if (cause.by === 'another_order')
    return asked.protection ? { ...open, ...nextAfter(open, clientOrderId, cause.which) } : open
  const left = leftAfter(isFor, order.status, open, asked)
  if (left !== null) return left
  return {
    ...after,
    ...(isFor === 'plan' && { planIsOver: true }),
    coveredQuantity: coversUpTo,
    uncovered: [...progress.uncovered, { clientOrderId, quantity }],
  }
}

/** No level of the plan is acted upon, because the plan is another one by now. */
export function withoutLevel({ targetAfter: _, ...progress }: ExitProgress): ExitProgress {
  return { ...backToPlan(progress), notBefore: null }
}

/** The next order is that of the plan again. */
export function backToPlan({ next: _, ...progress }: ExitProgress): ExitProgress {
  return progress
}

/** The order of its own signal that an exit order gave way to tells what follows, where that is not known. */
function nextAfter(
  { next }: ExitProgress,
  clientOrderId: string,
  closer: string | undefined,
): Pick<ExitProgress, 'next'> {
  const own = closer === undefined ? null : parseClientOrderId(closer)
  if (next !== undefined || own?.signalId !== parseClientOrderId(clientOrderId)!.signalId) return {}
  if (own.purpose === 'timed') return { next: 'stop' }
  return own.purpose === 'target' ? { next: 'target' } : {}
}

/**
 * How the exit goes on after an order that nobody ended on purpose; null where no further exit follows.
 *
 * @param open with the shares that the order has left
 */
function leftAfter(
  isFor: ExitFor,
  status: OrderStatus,
  open: ExitProgress,
  { exit, protection }: ExitsAsked,
): ExitProgress | null {
  const hasPlan = protection !== undefined && open.planIsOver === undefined
  switch (isFor) {
    case 'stop':
    case 'target':
      return open
    case 'plan':
      if (status !== 'EXPIRED' || protection?.until !== 'session') return open
      return exit !== null && open.timedIsOver === undefined ? { ...open, planIsOver: true } : null
    case 'timed':
      if (exit === null || afterEarlyEnd(exit, status) === 'again') return open
      return hasPlan ? { ...backToPlan(open), timedIsOver: true } : null
  }
}

/** As a late fill takes it up, once the signal has ended, which uses up a number: another exit, timed like the first. */
export const exitAtEnd = ({ timedIsOver: _, ...progress }: ExitProgress): ExitProgress => ({
  ...afterUnsent(backToPlan(progress)),
  workingOrder: null,
  failures: 0,
})

/** How an exit ended. */
interface ExitEnd {
  status: ExitStatus
  reason: string | null
  message: string
  /** Shares for which no further exit follows; null when there are none. */
  unprotected: Decimal | null
}

/**
 * Sums up the exit orders of a signal.
 *
 * @param reportOf the last that is known of one of them, by its client order id
 */
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
