import type { AlertNotice } from './alert.ts'
import { ORDER_CHANGED_BY_BROKER } from './advisory.ts'
import { compare, type Decimal } from './decimal.ts'
import { figure } from './figures.ts'
import type { OrderReport, OrderRequest } from './order.ts'
import type { TimelineEntry } from './timeline.ts'

/** A field in which a broker has an order otherwise than it was sent, in words. */
export interface OrderChange {
  field: 'type' | 'limit' | 'stop' | 'quantity' | 'time in force' | 'extended hours'
  sent: string
  found: string
}

/**
 * In what the broker's order differs from the one that was sent. Of one that a person has replaced at the broker the
 * differences are that person's wish.
 */
export function changesOf(request: OrderRequest, report: OrderReport): OrderChange[] {
  if (report.links) return []
  const amount = (value: Decimal | null): string => (value === null ? 'none' : figure(value))
  const isSame = (a: Decimal | null, b: Decimal | null): boolean =>
    a === null || b === null ? a === b : compare(a, b) === 0
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

/** The sum by which a change costs or gains money, so that its owner is alerted to it. */
const ALERTED: ReadonlySet<OrderChange['field']> = new Set(['quantity', 'limit', 'stop'])
export const isAlerted = (changes: readonly OrderChange[]): boolean =>
  changes.some(({ field }) => ALERTED.has(field))

const inWords = (changes: readonly OrderChange[]): string =>
  changes.map(({ field, sent, found }) => `${field} ${found} where ${sent} was sent`).join(', ')

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

export const changedNotice = (
  { clientOrderId }: OrderReport,
  changes: readonly OrderChange[],
): AlertNotice => ({
  kind: 'order_changed_by_broker',
  message: takenOver(changes),
  data: { clientOrderId, changes },
})

/** Under the name of an order of ours the broker has another one. */
export const conflictNotice = (clientOrderId: string, detail: string): AlertNotice => ({
  kind: 'order_changed_by_broker',
  message: `${detail}. It is not the order that was sent, and may work: cancel it at the broker if you did not place it`,
  data: { clientOrderId },
})
