import { add, compare, larger, type Decimal } from '#domain/money/decimal.ts'
import type { LedgerOrder } from './venue-desk.ts'

const ENDED = ['filled', 'canceled', 'expired', 'rejected', 'replaced']

/** The orders of a ledger as their sender knows them: with an order those that took its place, and the other part of an oco. */
export const joinedOrders = (orders: readonly LedgerOrder[]): LedgerOrder[] =>
  [...Map.groupBy(orders, (order) => order.sender_order_id ?? order.client_order_id).values()].flatMap(
    (parts) => {
      const first = parts.find(({ sender_order_id: sender }) => !sender)
      return first === undefined || parts.length === 1 ? parts : [joined(first, parts)]
    },
  )

/** What all parts have filled counts, and whether any of them works; else it has ended as the last one of its own type has. */
function joined(first: LedgerOrder, parts: readonly LedgerOrder[]): LedgerOrder {
  const fills = parts.flatMap((part) => part.fills).toSorted((a, b) => a.at.localeCompare(b.at))
  const filled = fills.reduce<Decimal>((sum, { qty }) => add(sum, qty), '0')
  const qty = parts.reduce<Decimal>((most, part) => larger(most, part.qty), first.qty)
  // Of a pair of which one part is refused after all the broker cancels the other.
  const last =
    parts.find(({ status }) => status === 'rejected') ?? parts.findLast(({ type }) => type === first.type)!
  const works = parts.some(({ status }) => !ENDED.includes(status))
  const isFilled = compare(filled, qty) >= 0
  const open = { canceled_at: null, expired_at: null, failed_at: null }
  return {
    ...first,
    qty,
    limit_price: last.limit_price,
    time_in_force: last.time_in_force,
    fills,
    filled_qty: filled,
    filled_at: fills.at(-1)?.at ?? null,
    status: isFilled ? 'filled' : works ? 'new' : last.status,
    ...(isFilled || works
      ? open
      : { canceled_at: last.canceled_at, expired_at: last.expired_at, failed_at: last.failed_at }),
  }
}
