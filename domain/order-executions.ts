import {
  add,
  compare,
  divideDown,
  isPositive,
  larger,
  LEDGER_PLACES,
  subtract,
  type Decimal,
} from './decimal.ts'
import { wasReplaced, type OrderProgress, type OrderReport } from './order.ts'

/** The sum of the known executions of an order under one of its ids at the broker. */
export interface ExecutedLink {
  brokerOrderId: string
  quantity: Decimal
  value: Decimal
  lastAt: string | null
}

export const isReplaced = (report: OrderReport, executed: readonly ExecutedLink[]): boolean =>
  wasReplaced(report) || wasReplaced(report, executed.length)

/** The report with fewer fills is older, and its quantity would end an order that still works. */
export const quantityAfter = (
  known: Pick<OrderProgress, 'filledQuantity'> & { quantity: Decimal },
  report: OrderReport,
  executed: readonly ExecutedLink[],
): Decimal =>
  isReplaced(report, executed) && compare(report.filledQuantity, known.filledQuantity) >= 0
    ? report.quantity
    : known.quantity

/**
 * A report with the filled quantity of the whole order. Executions under all its ids count once each, while the
 * figures of a replaced order and its successor may or may not contain each other; a larger figure of the report
 * counts, because executions are listed late.
 * The quantity of a replaced order is its fills and the open part of the present link. Of an oco either part may
 * fill what is open, and both together no more.
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

/** An old report's open shares, less the executions known since. */
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
