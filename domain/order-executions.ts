import { add, compare, divideDown, isPositive, LEDGER_PLACES, subtract, type Decimal } from './decimal.ts'
import { wasReplaced, type OrderProgress, type OrderReport } from './order.ts'

/** The sum of the known executions of an order under one of its ids at the broker. */
export interface ExecutedLink {
  brokerOrderId: string
  /** Shares. */
  quantity: Decimal
  /** Dollars: shares times price. */
  value: Decimal
  /** When the last one was; UTC instant, null when none is known. */
  lastAt: string | null
}

const larger = (a: Decimal, b: Decimal): Decimal => (compare(a, b) >= 0 ? a : b)

/** The order is known under more ids of its broker than it has parts: it was replaced there. */
const isReplaced = (report: OrderReport, executed: readonly ExecutedLink[]): boolean =>
  wasReplaced(report) || wasReplaced(report, executed.length)

/**
 * The quantity of the whole order, in shares, when a report comes to what is known. A replacement changes it. Of two reports
 * the one that knows of fewer fills was written earlier: its quantity is what the order was for then, and less than what has
 * filled since would end an order that still works.
 */
export const quantityAfter = (
  known: Pick<OrderProgress, 'filledQuantity'> & { quantity: Decimal },
  report: OrderReport,
  executed: readonly ExecutedLink[],
): Decimal =>
  isReplaced(report, executed) && compare(report.filledQuantity, known.filledQuantity) >= 0
    ? report.quantity
    : known.quantity

/**
 * A report with the quantity that is known to be filled of the whole order. The report decides the status. The executions
 * under all ids of the order decide the quantity: each has an id and counts once, while the figures of a replaced order and of
 * the one that replaces it may or may not contain each other. Where the report's own figure is larger, executions are not
 * listed yet, and that figure counts: it is the least that is filled.
 *
 * What may still fill is what the link that counts now has open. So the quantity of a replaced order is what has filled and
 * that, whatever the first link was for. Of an oco either part may fill what is open, and no more than that fills of both.
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

/** Shares that may still fill of the links that count now: fewer than an old report says once more executions of them are known. */
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
