import { add, compare, isPositive, type Decimal } from '#domain/money/decimal.ts'
import type { Origin } from '#domain/signal/origin.ts'
import { clientOrderIdFor, type OrderStatus } from '#domain/order/order.ts'
import type { LedgerOrder } from './venue-desk.ts'

/** An order that a person asks for under a key, however often it is sent: by a ticket, or to close a position. */
export interface Ticket {
  /** Its Idempotency-Key. */
  key: string
  symbol: string
  side: 'buy' | 'sell'
  quantity: Decimal
  /** Ids of the orders that its sender was told of, and when; UTC instants. */
  told: { orderId: string; at: string }[]
}

/** A signal by hand with its order. */
export interface StoredByHand {
  signalId: string
  orderId: string
  /** Null without one. */
  key: string | null
  origin: Origin
  acceptedAt: string
  status: OrderStatus
}

/** Of all positions in some symbols. UTC instants. */
export interface StoredFlattening {
  id: string
  /** Its Idempotency-Key; null without one. */
  key: string | null
  /** Null for all. */
  symbols: string[] | null
  status: string
  createdAt: string
  endedAt: string | null
}

/** What was asked for by hand, and what came of it. */
export interface ByHandBooks {
  tickets: Ticket[]
  orders: StoredByHand[]
  /** Ids of the flattenings that their senders were told of, by their keys. */
  notifiedFlattenings: { key: string; id: string }[]
  flattenings: StoredFlattening[]
}

const entryOf = ({ signalId }: StoredByHand): string => clientOrderIdFor(signalId, 'entry', 1)

/**
 * Of each key there is one order, for no more than was asked for, and no order by hand is there that nobody asked for.
 *
 * @param wasRolledBack the ledger, which then knows nothing of some
 */
export function* ticketFaults(
  { tickets, orders, notifiedFlattenings, flattenings }: ByHandBooks,
  ledger: readonly LedgerOrder[],
  wasRolledBack: boolean,
): Generator<string> {
  const stored = Map.groupBy(orders, ({ key }) => key)
  const asked = new Set(tickets.map(({ key }) => key))
  for (const { key, origin, signalId } of orders)
    if (origin !== 'flatten' && !asked.has(key ?? ''))
      yield `order by hand ${signalId} was asked for by nobody`
  for (const { key, symbol, side, quantity, told } of tickets) {
    const found = stored.get(key) ?? []
    if (found.length > 1) yield `${key} was placed by ${found.length} orders`
    const names = new Set(told.map(({ orderId }) => orderId))
    if (names.size > 1) yield `${key} was answered with ${names.size} orders`
    for (const id of names)
      if (!found.some(({ orderId }) => orderId === id) && !wasRolledBack)
        yield `${key}: order ${id}, of which its sender was told, is not on record`
    const placed = ledger.filter(({ client_order_id: id }) => found.some((one) => entryOf(one) === id))
    if (placed.length > 1) yield `${key} has ${placed.length} orders at the broker`
    const isRefused = found.every(({ status }) => status === 'REJECTED' || status === 'CANCELLED')
    if (placed.length === 0 && !isRefused) yield `${key} has no order at the broker and was not refused`
    for (const order of placed) {
      if (compare(order.qty, quantity) > 0 || compare(order.filled_qty, quantity) > 0)
        yield `${key} asked for ${quantity} and has an order for ${order.qty}`
      if (order.symbol !== symbol || order.side !== side)
        yield `${key} asked to ${side} ${symbol} and has an order to ${order.side} ${order.symbol}`
    }
  }
  for (const [key, found] of Map.groupBy(flattenings, ({ key: each }) => each))
    if (key !== null && found.length > 1) yield `${key} has begun ${found.length} flattenings`
  for (const { key, id } of notifiedFlattenings)
    if (!flattenings.some((one) => one.id === id) && !wasRolledBack)
      yield `${key}: flattening ${id}, of which its sender was told, is not on record`
}

/** The entry of a signal that was acknowledged, or an order by hand: what may have opened a position. */
export interface Opening {
  /** Of a signal or an order. */
  name: string
  symbol: string
  /** When its sender was told, and by the clock of the service; UTC instants. */
  acceptedAt: string
  orders: readonly LedgerOrder[]
  /** Of what it filled, what is held when the run is over; null for shares of nobody. */
  held: Decimal | null
}

/** Orders by hand of which their senders were told; whose shares they open is nobody's. */
export const openingsByHand = ({ tickets, orders }: ByHandBooks, ledger: readonly LedgerOrder[]): Opening[] =>
  orders.flatMap((order) => {
    const told = tickets.flatMap((ticket) => ticket.told).filter(({ orderId }) => orderId === order.orderId)
    const placed = ledger.filter(
      ({ client_order_id: id, position_intent: intent }) =>
        id === entryOf(order) && intent.endsWith('_to_open'),
    )
    const [first] = told.map(({ at }) => at).toSorted()
    if (first === undefined || placed.length === 0) return []
    const acceptedAt = first > order.acceptedAt ? first : order.acceptedAt
    const { symbol } = placed[0]!
    return [{ name: `order by hand ${order.signalId}`, symbol, acceptedAt, orders: placed, held: null }]
  })

/** After a flattening is done nothing fills any more that was asked for before, and nothing of it is held. */
export function* flattenFaults(
  { flattenings }: Pick<ByHandBooks, 'flattenings'>,
  openings: readonly Opening[],
): Generator<string> {
  for (const { id, symbols, status, createdAt, endedAt } of flattenings) {
    if (endedAt === null) {
      yield `flattening ${id} is ${status}`
      continue
    }
    if (status !== 'done') continue
    const from = Date.parse(createdAt)
    for (const { name, symbol, acceptedAt, orders, held } of openings) {
      if ((symbols !== null && !symbols.includes(symbol)) || Date.parse(acceptedAt) > from) continue
      const late = orders.flatMap(({ fills }) =>
        fills.filter(({ at }) => Date.parse(at) > Date.parse(endedAt)),
      )
      const filled = late.map(({ qty }) => qty).reduce<Decimal>(add, '0')
      if (isPositive(filled))
        yield `${name} came before flattening ${id} and filled ${filled} ${symbol} after it was done at ${endedAt}`
      else if (held !== null && isPositive(held))
        yield `${name} came before flattening ${id}, which is done, and ${held} ${symbol} of it are held`
    }
  }
}
