import type { AlertNotice } from './alert.ts'
import { ORDER_CHANGED_BY_BROKER } from './advisory.ts'
import { isSame, type Decimal } from './decimal.ts'
import { figure } from './figures.ts'
import { wasReplaced, type OrderReport, type OrderRequest } from './order.ts'
import { distanceInWords, type Distance } from './protection.ts'
import type { TimelineEntry } from './timeline.ts'

export interface OrderChange {
  field: 'type' | 'limit' | 'stop' | 'stop limit' | 'trail' | 'quantity' | 'time in force' | 'extended hours'
  sent: string
  found: string
}

/** Differences of an order replaced at the broker are wanted, by a person or an exit plan: none. */
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

/** The broker has another order under our client order id. */
export const conflictNotice = (clientOrderId: string, detail: string): AlertNotice => ({
  kind: 'order_changed_by_broker',
  message: `${detail}. It is not the order that was sent, and may work`,
  data: { clientOrderId },
})
