import { add, isPositive, subtract, type Decimal } from './decimal.ts'
import { afterEarlyEnd, type ExitFor, type ExitStatus } from './exit.ts'
import { figure, sharesOf } from './figures.ts'
import { parseClientOrderId, type OrderPurpose, type OrderReport, type OrderStatus } from './order.ts'
import type { SignalTerms } from './signal.ts'

/** Kept by the workflow and stored by each write of an exit; a lost workflow goes on from the stored one. */
export interface ExitProgress {
  generation: number
  /** Filled shares of the entry that need no further exit. */
  coveredQuantity: Decimal
  /** Working at the broker, or ended there and not yet counted. */
  workingOrder: ExitOrder | null
  ended: string[]
  /** Orders that ended too early and have no successor, with the shares that each was to close. */
  uncovered: { clientOrderId: string; quantity: Decimal }[]
  cancelledBy: string | null
  /** The exit is timed from here; UTC instant, by the broker's clock where it reports one. */
  entryEndedAt: string | null
  failures: number
  notBefore: string | null
  /** The broker has rejected an exit because of an opposite order from elsewhere: the next ones avoid it. */
  opposed?: true
  /** The broker has not sold the part of a share before the auction: the whole shares leave first. */
  wholeFirst?: true
  /** With an exit plan; the order of the plan unless given. */
  next?: Exclude<ExitFor, 'plan'>
  /** UTC instant from which a reached target counts again: its last order could not be placed. */
  targetAfter?: string
  planIsOver?: true
  /** The timed exit ended without closing everything. */
  timedIsOver?: true
}

export type ExitsAsked = Pick<SignalTerms, 'exit' | 'protection'>

export interface ExitOrder {
  clientOrderId: string
  quantity: Decimal
  /** Filled shares of the entry that need no further exit once it has filled. */
  coversUpTo: Decimal
  isFor?: ExitFor
  /** The filled shares of the entry when it was sized; absent without an exit plan. */
  filledThen?: Decimal
}

export const isForOf = ({ clientOrderId, isFor }: Pick<ExitOrder, 'clientOrderId' | 'isFor'>): ExitFor =>
  isFor ?? FOR_PURPOSE[parseClientOrderId(clientOrderId)!.purpose]

const FOR_PURPOSE = {
  entry: 'timed',
  timed: 'timed',
  plan: 'plan',
  target: 'target',
} as const satisfies Record<OrderPurpose, ExitFor>

/** `coversQuantity`: filled shares of the entry that need no further exit once it has filled. */
export interface ExitSize {
  quantity: Decimal
  coversQuantity: Decimal
  coveredBefore: Decimal
}

export interface CancelMarks {
  askedBy: string | null
  gaveWayTo: string | null
}

/** session: its time in force was over, or its auction took no more. broker: rejected or cancelled there. */
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

export const afterUnsent = (progress: ExitProgress): ExitProgress => ({
  ...progress,
  generation: progress.generation + 1,
  notBefore: null,
})

export const afterNothingToClose = (
  progress: ExitProgress,
  { coveredBefore, coversQuantity }: ExitSize,
): ExitProgress => ({ ...afterUnsent(progress), coveredQuantity: add(coveredBefore, coversQuantity) })

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

/** Throws for any order but the working one. */
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
  // Shares left open by an order that gave way need an exit again; a person who cancelled it wants none, as is
  // recorded next.
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

/** The plan has changed, so no reached level counts. */
export function withoutLevel({ targetAfter: _, ...progress }: ExitProgress): ExitProgress {
  return { ...backToPlan(progress), notBefore: null }
}

export function backToPlan({ next: _, ...progress }: ExitProgress): ExitProgress {
  return progress
}

/** Where it is not known yet, the order of the same signal that caused the cancel says what follows. */
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

/** Null where no further exit follows; `open` has the shares that the order has left. */
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

/** For a late fill after the signal's end: another exit, timed like the first. */
export const exitAtEnd = ({ timedIsOver: _, ...progress }: ExitProgress): ExitProgress => ({
  ...afterUnsent(backToPlan(progress)),
  workingOrder: null,
  failures: 0,
})

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
