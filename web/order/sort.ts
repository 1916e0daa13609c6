import type { Order } from '#client/types.ts'
import { partsOf, sortedBy } from '../parts/sorting.ts'
import { STATUSES } from '../words/order.ts'
import type { OrdersSearch } from './search.ts'

/** How the service sorts them, which is the only way that it knows. */
export const USUAL_SORT = 'placed.desc'

const VALUES: Record<string, (order: Order) => string> = {
  placed: ({ createdAt }) => createdAt,
  symbol: ({ symbol }) => symbol,
  status: ({ status }) => STATUSES[status],
}

/** Orders as an address sorts them. Only a list that is whole can be sorted so, and not one page of it. */
export function sortedOrders(orders: readonly Order[], sort: OrdersSearch['sort']): Order[] {
  const { by, direction } = partsOf(sort ?? USUAL_SORT)
  return sortedBy(orders, VALUES[by]!, direction)
}
