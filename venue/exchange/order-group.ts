import type { VenueOrder } from '../ledger/orders.ts'

/** The stop comes first: a gap over both levels is no gain. */
const TURN_OF_ROLE = { entry: 0, stopLoss: 1, takeProfit: 2 } as const

const turnOf = ({ role }: VenueOrder): number => (role === null ? 0 : TURN_OF_ROLE[role])

export const inTurn = (orders: readonly VenueOrder[]): VenueOrder[] =>
  orders.toSorted((a, b) => turnOf(a) - turnOf(b))

export const openSiblings = (order: VenueOrder, orders: readonly VenueOrder[]): VenueOrder[] =>
  order.groupId === null
    ? []
    : orders.filter((other) => {
        return other.groupId === order.groupId && other.id !== order.id && other.closedAt === null
      })

export const otherLevel = (order: VenueOrder, orders: readonly VenueOrder[]): VenueOrder | null =>
  order.role === 'entry' ? null : (openSiblings(order, orders).find(({ role }) => role !== 'entry') ?? null)
