import { compare } from '#domain/decimal.ts'
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
 */
export async function logicalReport(order: WireOrder, read: ReadOrder): Promise<OrderReport> {
  if (!isReplacement(order)) return orderReport(order)
  const first = await follow(order, (link) => link.replaces, read)
  // From the first on, not from the order given: a replacement that came too late is rejected while the
  // order that it was to replace lives on.
  const last = await follow(first, (link) => (link.status === 'replaced' ? link.replaced_by : null), read)
  return orderReport(last, first)
}

/**
 * Alpaca does not document whether a replacing order carries the fills of the one it replaces. The larger
 * of both counts: what was filled never becomes less, and adding them up could count a fill twice.
 */
async function follow(
  order: WireOrder,
  next: (link: WireOrder) => string | null | undefined,
  read: ReadOrder,
): Promise<WireOrder> {
  let link = order
  for (let steps = 0; steps < MAX_REPLACEMENTS; steps++) {
    const id = next(link)
    if (!id) return link
    const other = await read(id)
    if (!other)
      throw new BrokerOutcomeUnknown(`The broker has no order ${id}, which replaces or was replaced`)
    link =
      compare(other.filled_qty, link.filled_qty) >= 0
        ? other
        : {
            ...other,
            filled_qty: link.filled_qty,
            filled_avg_price: link.filled_avg_price,
            filled_at: link.filled_at,
          }
  }
  throw new BrokerOutcomeUnknown(`Order ${order.id} has been replaced more than ${MAX_REPLACEMENTS} times`)
}
