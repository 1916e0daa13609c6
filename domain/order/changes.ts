import {
  add,
  compare,
  divideDown,
  isPositive,
  larger,
  LEDGER_PLACES,
  subtract,
  type Decimal,
  isSame,
  figure,
} from '../money/decimal.ts'
import { wasReplaced, type OrderProgress, type OrderReport, type OrderRequest } from './order.ts'
import type { AlertNotice } from '../alert/alert.ts'
import { ORDER_CHANGED_BY_BROKER } from '../signal/advisory.ts'
import { distanceInWords, type Distance } from '../exit/protection.ts'
import type { TimelineEntry } from '../signal/timeline.ts'

/** Executions under one of an order's broker ids. */
export interface ExecutedLink {
  brokerOrderId: string
  quantity: Decimal
  value: Decimal
  lastAt: string | null
}

export const isReplaced = (report: OrderReport, executed: readonly ExecutedLink[]): boolean =>
  wasReplaced(report) || wasReplaced(report, executed.length)

/** A report with fewer fills is older, and its quantity would end a working order. */
export const quantityAfter = (
  known: Pick<OrderProgress, 'filledQuantity'> & { quantity: Decimal },
  report: OrderReport,
  executed: readonly ExecutedLink[],
): Decimal =>
  isReplaced(report, executed) && compare(report.filledQuantity, known.filledQuantity) >= 0
    ? report.quantity
    : known.quantity

/**
 * The whole order's filled quantity. Executions under all its ids count once, while a replaced order and its successor
 * may report overlapping figures; a larger reported figure counts, because executions are listed late. A replaced
 * order's quantity is its fills and the present link's open part. An OCO's parts share the open shares.
 */
export function withExecutions(report: OrderReport, executed: readonly ExecutedLink[]): OrderReport {
  const sum = executed.reduce<Decimal>((total, { quantity }) => add(total, quantity), '0')
  const filledQuantity = larger(report.filledQuantity, sum)
  const isFurther = compare(sum, report.filledQuantity) > 0
  const open = openOf(report, executed)
  return {
    ...report,
    filledQuantity,
    ...(isReplaced(report, executed) && {
      quantity: isPositive(open) ? add(filledQuantity, open) : filledQuantity,
    }),
    ...(isFurther && {
      avgFillPrice: divideDown(
        executed.reduce<Decimal>((total, { value }) => add(total, value), '0'),
        sum,
        LEDGER_PLACES,
      ),
      filledAt: lastOf([report.filledAt, ...executed.map(({ lastAt }) => lastAt)]),
    }),
  }
}

/** Open shares of an old report, less executions since. */
function openOf(
  { orderType, brokerOrderId, quantity, filledQuantity, links }: OrderReport,
  executed: readonly ExecutedLink[],
): Decimal {
  const stop = orderType === 'oco' ? links?.at(-1)?.brokerOrderId : undefined
  const unheard = [brokerOrderId, ...(stop === undefined || stop === brokerOrderId ? [] : [stop])].map(
    (id) => {
      const isIt = (link: { brokerOrderId: string }): boolean => link.brokerOrderId === id
      const told = links?.find(isIt)?.filledQuantity ?? filledQuantity
      return subtract(larger(executed.find(isIt)?.quantity ?? '0', told), told)
    },
  )
  return unheard.reduce<Decimal>((open, each) => subtract(open, each), subtract(quantity, filledQuantity))
}

const lastOf = (instants: readonly (string | null)[]): string | null =>
  instants.reduce((last, each) => (each !== null && (last === null || each > last) ? each : last), null)

export interface OrderChange {
  field: 'type' | 'limit' | 'stop' | 'stop limit' | 'trail' | 'quantity' | 'time in force' | 'extended hours'
  sent: string
  found: string
}

/** A replacement at the broker was intended: no differences. */
export const changesOf = (request: OrderRequest, report: OrderReport): OrderChange[] =>
  wasReplaced(report) ? [] : differences(request, report)

type Compared = Omit<OrderRequest, 'clientOrderId' | 'symbol' | 'side'>

function differences(request: Compared, report: Compared): OrderChange[] {
  const amount = (value: Decimal | null): string => (value === null ? 'none' : figure(value))
  const fields: (OrderChange | false)[] = [
    request.orderType !== report.orderType && {
      field: 'type',
      sent: request.orderType,
      found: report.orderType,
    },
    !isSame(request.quantity, report.quantity) && {
      field: 'quantity',
      sent: amount(request.quantity),
      found: amount(report.quantity),
    },
    !isSame(request.limitPrice, report.limitPrice) && {
      field: 'limit',
      sent: amount(request.limitPrice),
      found: amount(report.limitPrice),
    },
    !isSame(request.stopPrice, report.stopPrice) && {
      field: 'stop',
      sent: amount(request.stopPrice),
      found: amount(report.stopPrice),
    },
    !isSame(request.stopLimitPrice ?? null, report.stopLimitPrice ?? null) && {
      field: 'stop limit',
      sent: amount(request.stopLimitPrice ?? null),
      found: amount(report.stopLimitPrice ?? null),
    },
    trailInWords(request.trail) !== trailInWords(report.trail) && {
      field: 'trail',
      sent: trailInWords(request.trail),
      found: trailInWords(report.trail),
    },
    request.timeInForce !== report.timeInForce && {
      field: 'time in force',
      sent: request.timeInForce,
      found: report.timeInForce,
    },
    request.extendedHours !== report.extendedHours && {
      field: 'extended hours',
      sent: request.extendedHours ? 'yes' : 'no',
      found: report.extendedHours ? 'yes' : 'no',
    },
  ]
  return fields.filter((change) => change !== false)
}

const trailInWords = (trail: Distance | null | undefined): string =>
  trail == null ? 'none' : distanceInWords(trail)

const ALERTED: ReadonlySet<OrderChange['field']> = new Set([
  'quantity',
  'limit',
  'stop',
  'stop limit',
  'trail',
])
export const isAlerted = (changes: readonly OrderChange[]): boolean =>
  changes.some(({ field }) => ALERTED.has(field))

const inWords = (changes: readonly OrderChange[], was = 'was sent'): string =>
  changes.map(({ field, sent, found }) => `${field} ${found} where ${sent} ${was}`).join(', ')

const takenOver = (changes: readonly OrderChange[]): string =>
  `The broker has the order otherwise than it was sent: ${inWords(changes)}. It is taken over as it is`

export const changedAdvisory = (changes: readonly OrderChange[]): { code: string; message: string } => ({
  code: ORDER_CHANGED_BY_BROKER,
  message: takenOver(changes),
})

export const changedEntry = (
  { clientOrderId, submittedAt }: OrderReport,
  changes: readonly OrderChange[],
): TimelineEntry => ({
  key: `${clientOrderId}-changed-by-broker`,
  kind: 'order_changed_by_broker',
  at: submittedAt,
  message: takenOver(changes),
  data: { clientOrderId, changes },
})

export function changedElsewhereEntry(
  report: OrderReport,
  before: Pick<Compared, 'limitPrice' | 'stopPrice' | 'stopLimitPrice' | 'trail'> &
    Partial<Pick<Compared, 'quantity'>>,
): TimelineEntry & Pick<AlertNotice, 'kind' | 'data'> {
  const { clientOrderId, changedAt, submittedAt } = report
  const at = changedAt ?? submittedAt
  const changes = differences({ ...report, ...before }, report)
  return {
    key: `${clientOrderId}-changed-${at}`,
    kind: 'order_changed_by_broker',
    at,
    message: `The order was changed at the broker, and not from here: ${inWords(changes, 'was')}`,
    data: { clientOrderId, changes },
  }
}

export const changedNotice = (
  { clientOrderId }: OrderReport,
  changes: readonly OrderChange[],
): AlertNotice => ({
  kind: 'order_changed_by_broker',
  message: takenOver(changes),
  data: { clientOrderId, changes },
})

export const conflictNotice = (clientOrderId: string, detail: string): AlertNotice => ({
  kind: 'order_changed_by_broker',
  message: `${detail}. It is not the order that was sent, and may work`,
  data: { clientOrderId },
})

interface UnknownOrder {
  orderId: string
  clientOrderId: string
  brokerOrderId: string
}

/** @param doubt why the service does not end it automatically */
export const unknownAtBroker = (
  { orderId, clientOrderId, brokerOrderId }: UnknownOrder,
  doubt?: string,
): AlertNotice => ({
  kind: 'order_unknown_at_broker',
  message: `The broker does not know order ${clientOrderId} (${brokerOrderId}) any more, which it once accepted: ${doubt ?? 'whether it works or has filled is not known'}`,
  data: { orderId, clientOrderId, brokerOrderId },
})

/** No order id, so that no person can end it. */
export const endedUnconfirmed = (
  { clientOrderId, brokerOrderId }: UnknownOrder,
  reason: string,
): AlertNotice => ({
  kind: 'order_unknown_at_broker',
  message: `Order ${clientOrderId} (${brokerOrderId}) counts as ended: ${reason}. Should it show again, it is cancelled, and what it has filled counts`,
  data: { clientOrderId, brokerOrderId },
})
