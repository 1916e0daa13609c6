import { add, compare, subtract } from '#domain/decimal.ts'
import type { OrderReport } from '#domain/order.ts'
import { BrokerOutcomeUnknown } from '../port.ts'
import { orderReport } from './orders.ts'
import type { WireOrder } from './wire.ts'

/** Reads an order by the broker's id; null when there is none. */
export type ReadOrder = (id: string) => Promise<WireOrder | null>

/** More replacements of one order than anybody makes; a longer chain is a loop in the broker's answers. */
const MAX_REPLACEMENTS = 50

/** The order takes part in a replacement, as the replaced or as the replacing one. */
export const isReplacement = (order: WireOrder): boolean => order.status === 'replaced' || !!order.replaces

/**
 * The report of the one logical order that a chain of replacements is. Alpaca makes a new order with new
 * ids whenever a person changes one: it is reported under the first client order id and with the
 * standing and broker's id of the last link, which is the one that can be cancelled.
 *
 * Alpaca does not document whether a replacing order carries the fills of the one it replaces. So the report says what each
 * link has filled, and as a whole no more than is certain, the largest of these figures; the executions tell the rest.
 */
export async function logicalReport(order: WireOrder, read: ReadOrder): Promise<OrderReport> {
  if (!isReplacement(order)) return orderReport(order)
  const before = await follow(order, (link) => link.replaces, read)
  const first = before.at(-1)!
  // From the first on, not from the order given: a replacement that came too late is rejected while the
  // order that it was to replace lives on.
  const links = await follow(first, (link) => (link.status === 'replaced' ? link.replaced_by : null), read)
  const last = links.at(-1)!
  if (links.length === 1) return orderReport(last, first)
  const furthest = links.reduce((a, b) => (compare(b.filled_qty, a.filled_qty) >= 0 ? b : a))
  const { filled_qty, filled_avg_price, filled_at } = furthest
  // The shares that may still fill are those that the last link has open, by its own figures.
  const qty = add(last.qty, subtract(filled_qty, last.filled_qty))
  return {
    ...orderReport({ ...last, qty, filled_qty, filled_avg_price, filled_at }, first),
    links: links.map(({ id, filled_qty }) => ({ brokerOrderId: id, filledQuantity: filled_qty })),
  }
}

/** The order and those that come after it by a link, in that order. */
async function follow(
  order: WireOrder,
  next: (link: WireOrder) => string | null | undefined,
  read: ReadOrder,
): Promise<WireOrder[]> {
  const chain = [order]
  for (let steps = 0; steps < MAX_REPLACEMENTS; steps++) {
    const id = next(chain.at(-1)!)
    if (!id) return chain
    const other = await read(id)
    if (!other)
      throw new BrokerOutcomeUnknown(`The broker has no order ${id}, which replaces or was replaced`)
    chain.push(other)
  }
  throw new BrokerOutcomeUnknown(`Order ${order.id} has been replaced more than ${MAX_REPLACEMENTS} times`)
}
