import type { Order } from '#client/types.ts'
import { partsOf, sortedBy } from '../parts/sorting.ts'
import { STATUSES } from '../words/order.ts'
import type { OrdersSearch } from './search.ts'

/** The only sort order of the service. */
export const USUAL_SORT = 'placed.desc'

const VALUES: Record<string, (order: Order) => string> = {
  placed: ({ createdAt }) => createdAt,
  symbol: ({ symbol }) => symbol,
  status: ({ status }) => STATUSES[status],
}

/** Sorts orders by the address: a whole list only, not one page. */
export function sortedOrders(orders: readonly Order[], sort: OrdersSearch['sort']): Order[] {
  const { by, direction } = partsOf(sort ?? USUAL_SORT)
  return sortedBy(orders, VALUES[by]!, direction)
}
