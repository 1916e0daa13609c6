import type { DenialCode } from '../risk/denial.ts'
import { exitCancelledMessage, type ExitMove, type ExitSchedule, type ExitTrouble } from '../exit/exit.ts'
import { sentBefore } from '../order/entry-order.ts'
import { pricedInWords } from '../order/price-words.ts'
import {
  isReducing,
  parseClientOrderId,
  type OrderReport,
  type OrderRole,
  type OrderShape,
  type OrderSide,
} from '../order/order.ts'
import { isPositive, type Decimal, figure, shareCount } from '../money/decimal.ts'

export const TIMELINE_KINDS = [
  'received',
  'placed',
  'waiting',
  'held',
  'approval_refused',
  'due',
  'declined',
  'cancelled',
  'transmitted',
  'acknowledged',
  'rejected',
  'not_placed',
  'order_progress',
  'order_changed_by_broker',
  'exit_planned',
  'exit_delayed',
  'exit_cancelled',
  'protection_changed',
  'protection_moved',
  'cancel_requested',
  'closed',
  'reopened',
] as const
export type TimelineKind = (typeof TIMELINE_KINDS)[number]

export interface TimelineEntry {
  /** A repeated key adds nothing. */
  key: string
  kind: TimelineKind
  at: string
  message: string
  data?: Record<string, unknown>
}

/** A first order closes or opens, by its side; a manual order has no role. */
function nameOf(role: OrderRole | null, side?: OrderSide): string {
  if (role !== 'entry') return role === null ? 'order' : `${role} order`
  return side === undefined ? 'order' : isReducing(side) ? 'closing order' : 'entry order'
}
const roleIn = (clientOrderId: string): OrderRole | null => parseClientOrderId(clientOrderId)?.role ?? null
const nameOfReported = ({ clientOrderId, side }: OrderReport): string => nameOf(roleIn(clientOrderId), side)

const describeOrder = (report: OrderReport): string =>
  `${report.side} ${figure(report.quantity)} ${report.symbol} ${pricedInWords(report)} (${report.timeInForce})`

export const transmittedEntry = (
  at: string,
  role: OrderRole | null,
  cause: string,
  generation = 1,
): TimelineEntry => ({
  key: `${role ?? 'order'}-transmitted-${generation}`,
  kind: 'transmitted',
  at,
  message: `The ${nameOf(role)} was sent and the broker's answer is unknown (${cause}); the order is looked up before another one is sent`,
})

export const acknowledgedEntry = (report: OrderReport): TimelineEntry => ({
  key: `${report.clientOrderId}-acknowledged`,
  kind: 'acknowledged',
  at: report.submittedAt,
  message: `The broker accepted the ${nameOfReported(report)}: ${describeOrder(report)}`,
  data: { brokerOrderId: report.brokerOrderId, clientOrderId: report.clientOrderId },
})

/** UTC, from the broker; else `heardAt`. */
function progressAt(report: OrderReport, heardAt: string): string {
  const { status, filledAt, endedAt, changedAt, submittedAt } = report
  if (status === 'PENDING' || status === 'OPEN') return changedAt ?? submittedAt
  const isFill = status === 'FILLED' || status === 'PARTIALLY_FILLED'
  return (isFill ? filledAt : endedAt) ?? changedAt ?? heardAt
}

export function progressEntry(report: OrderReport, heardAt: string): TimelineEntry {
  const at = progressAt(report, heardAt)
  const name = nameOfReported(report)
  const filled = isPositive(report.filledQuantity)
    ? `${figure(report.filledQuantity)} of ${figure(report.quantity)} ${report.symbol} at ${figure(report.avgFillPrice ?? '0')} on average`
    : 'nothing filled'
  const words = {
    PENDING: `The ${name} waits at the broker`,
    OPEN: `The ${name} is working`,
    PARTIALLY_FILLED: `The ${name} is partly filled: ${filled}`,
    FILLED: `The ${name} is filled: ${filled}`,
    CANCELLED: `The ${name} is cancelled, ${filled}`,
    REJECTED: `The broker rejected the ${name} after accepting it, ${filled}`,
    EXPIRED: `The ${name} expired, ${filled}`,
  }[report.status]
  return {
    key: `${report.clientOrderId}-${report.status}-${report.filledQuantity}`,
    kind: 'order_progress',
    at,
    message: report.reason ? `${words} (${report.reason})` : words,
    data: {
      clientOrderId: report.clientOrderId,
      status: report.status,
      filledQuantity: report.filledQuantity,
      avgFillPrice: report.avgFillPrice,
    },
  }
}

export const rejectedEntry = (
  at: string,
  role: OrderRole | null,
  code: DenialCode,
  detail: string,
  generation = 1,
): TimelineEntry => ({
  key: `${role ?? 'order'}-rejected-${generation}`,
  kind: 'rejected',
  at,
  message: `The ${nameOf(role)} was refused: ${detail}`,
  data: { code },
})

export const notPlacedEntry = (at: string, code: DenialCode, detail: string): TimelineEntry => ({
  key: 'given-up',
  kind: 'not_placed',
  at,
  message: `No order was placed: ${detail}`,
  data: { code },
})

export function exitTroubleEntry(at: string, { kind, generation, code, detail }: ExitTrouble): TimelineEntry {
  if (kind === 'unknown') return transmittedEntry(at, 'exit', detail, generation)
  if (kind === 'rejected') return rejectedEntry(at, 'exit', code ?? 'BROKER_ERROR', detail, generation)
  const words = {
    unplanned: 'The time of the exit cannot be calculated yet',
    held: 'The exit cannot be sent yet',
    taken_back: 'The exit was not sent, and is sized again',
    ended: 'The exit order ended before it had closed everything, and another follows',
    closed: 'The stop and target are placed again once the exchange is open',
  }[kind]
  return {
    key: `exit-${kind}-${generation}`,
    kind: 'exit_delayed',
    at,
    message: `${words}: ${detail}`,
    data: { code },
  }
}

const MOVED: Record<ExitMove, string> = {
  exit_rolled_to_next_session: 'in the next session, because its time has passed or lies outside a session',
  exit_moved_before_early_close: 'because the exchange closes before its time on that day',
}

export const exitScheduledEntry = (
  at: string,
  plan: ExitSchedule,
  quantity: Decimal,
  generation = 1,
): TimelineEntry => ({
  key: nth('exit-planned', generation),
  kind: 'exit_planned',
  at,
  message:
    `The exit of ${shareCount(quantity)} is scheduled for ${plan.submitAt}` +
    (plan.reason === null ? '' : `, ${MOVED[plan.reason]}`),
  data: { submitAt: plan.submitAt, reason: plan.reason },
})

export const exitMovedEntry = (
  at: string,
  { from, submitAt, reason }: ExitSchedule & { from: string },
  generation: number,
): TimelineEntry => ({
  // Includes `at`, because an exit may move back and forth.
  key: `exit-moved-${generation}-${from}-${submitAt}-${at}`,
  kind: 'exit_planned',
  at,
  message:
    `The exit is moved from ${from} to ${submitAt}, because ` +
    (reason === 'exit_rolled_to_next_session'
      ? 'the exchange takes it no earlier'
      : reason === 'exit_moved_before_early_close'
        ? 'the exchange closes early on that day'
        : 'the calendar or the clock of the broker has changed'),
  data: { submitAt, reason, movedFrom: from },
})

const nth = (word: string, n: number): string => (n === 1 ? word : `${word}-${n}`)

/** A fill after the end opens the signal again. */
export const closedEntry = (at: string, message: string, closing = 1): TimelineEntry => ({
  key: nth('closed', closing),
  kind: 'closed',
  at,
  message,
})

export const reopenedEntry = (at: string, closing: number): TimelineEntry => ({
  key: nth('reopened', closing),
  kind: 'reopened',
  at,
  message: 'The broker reported a fill after the signal had ended; an exit for it follows',
})

export const waitingEntry = (
  at: string,
  wait: { for: 'time' | 'person'; until: string | null },
): TimelineEntry => ({
  key: `waiting-${wait.for}`,
  kind: 'waiting',
  at,
  message:
    wait.for === 'time'
      ? `Waits for its time, ${wait.until}`
      : `Needs approval${wait.until === null ? '' : `, until ${wait.until}`}`,
  data: { until: wait.until, for: wait.for },
})

export const sessionWaitEntry = (at: string, message: string): TimelineEntry => ({
  key: 'waiting-session',
  kind: 'waiting',
  at,
  message,
  data: { for: 'session' },
})

export const turnEntry = (
  behind: readonly string[],
  until: string,
): Omit<TimelineEntry, 'at'> & { data: Record<string, unknown> } => ({
  key: 'waiting-turn',
  kind: 'waiting',
  message: `It waits for earlier signals of its account and symbol (${behind.join(', ')}), until ${until} at most`,
  data: { until, behind },
})

/** @param sent the order sent before, which the approval's edits cannot change */
export const dueEntry = (
  at: string,
  approval: { by: string; quantity: Decimal | null; limitPrice: Decimal | null } | null,
  sent: Pick<OrderShape, 'quantity' | 'limitPrice'> | null = null,
): TimelineEntry => {
  if (approval === null) return { key: 'due', kind: 'due', at, message: 'Scheduled time reached' }
  const edits = editsOf(approval)
  const isTooLate = sent !== null && edits !== ''
  return {
    // A signal may be approved again after a denial.
    key: `approved-${at}`,
    kind: 'due',
    at,
    message: `Approved by ${approval.by}${edits}${isTooLate ? `, which came too late: ${sentBefore(sent).message}` : ''}`,
    data: { ...approval, ...(isTooLate && { quantity: null, limitPrice: null }) },
  }
}

const editsOf = ({
  quantity,
  limitPrice,
}: {
  quantity: Decimal | null
  limitPrice: Decimal | null
}): string => {
  const edits = [
    quantity && `quantity ${figure(quantity)}`,
    limitPrice && `limit price ${figure(limitPrice)}`,
  ].filter(Boolean)
  return edits.length === 0 ? '' : `, with ${edits.join(' and ')}`
}

export const declinedEntry = (
  at: string,
  { by, reason }: { by: string; reason: string | null },
): TimelineEntry => ({
  key: 'declined',
  kind: 'declined',
  at,
  message: `Declined by ${by}${reason === null ? '' : `: ${reason}`}`,
  data: { by, reason },
})

export const cancelledEntry = (at: string, reason: string, detail: string): TimelineEntry => ({
  key: 'cancelled',
  kind: 'cancelled',
  at,
  message: detail,
  data: { reason },
})

export const exitCancelledEntry = (at: string, by: string): TimelineEntry => ({
  key: 'exit-cancelled',
  kind: 'exit_cancelled',
  at,
  message: exitCancelledMessage(by),
  data: { by },
})

export const cancelRequestedEntry = (at: string, clientOrderId: string, by: string): TimelineEntry => ({
  key: `${clientOrderId}-cancel-requested`,
  kind: 'cancel_requested',
  at,
  message: `${by} requested to cancel the ${nameOf(roleIn(clientOrderId))}; it may fill until the broker confirms`,
  data: { clientOrderId, by },
})

export const crossingStoppedEntry = (at: string, by: string): TimelineEntry => ({
  key: 'crossing-stopped',
  kind: 'cancel_requested',
  at,
  message: `${by} stopped the signal: the position is closed, and the other side is not opened`,
})

/** Its own entry, beside a person's cancel of the same order. */
export const cancelledForEntry = (at: string, clientOrderId: string, closer: string): TimelineEntry => ({
  key: `${clientOrderId}-gives-way`,
  kind: 'cancel_requested',
  at,
  message: `The ${nameOf(roleIn(clientOrderId))} is cancelled so that another order can be sent; it may fill until the broker confirms`,
  data: { clientOrderId, closer },
})

export const placedEntry = (
  at: string,
  by: string,
  order: string,
  data: { requestId: string; tokenId: string | null },
): TimelineEntry => ({
  key: 'placed',
  kind: 'placed',
  at,
  message: `Placed by ${by}: ${order}`,
  data: { by, ...data },
})

/** The broker withdrew or corrected an execution; shares of the order's fills. */
export const amendedEntry = (
  at: string,
  report: OrderReport,
  executionId: string,
  { before, now }: { before: Decimal; now: Decimal },
): TimelineEntry => ({
  key: `${report.clientOrderId}-amended-${executionId}`,
  kind: 'order_progress',
  at,
  message: `The broker has amended an execution of the ${nameOfReported(report)}: ${now} instead of ${before} shares are filled`,
  data: { clientOrderId: report.clientOrderId, executionId, filledQuantity: now },
})
