import type { BrokerHttp } from '../http.ts'
import { get, getOrNull } from './reads.ts'
import { wireOrder, wireOrderPage, type WireOrder, type WireOrderPage } from './wire.ts'

const ORDERS_A_PAGE = 500

export interface OrderRequests {
  byId(id: string): Promise<WireOrder | null>
  byName(clientOrderId: string): Promise<WireOrder | null>
  list(query: { status: string; after: string | undefined; limit: number }): Promise<WireOrderPage>
  ofSymbol(query: {
    symbol: string
    from: string
    until?: string
    nested: boolean
  }): AsyncIterable<WireOrderPage>
}

export function orderRequests(http: BrokerHttp): OrderRequests {
  const page = (fields: Record<string, string>) =>
    get(http, `/v2/orders?${new URLSearchParams(fields).toString()}`, wireOrderPage, 'list of orders')
  return {
    byId: (id) => getOrNull(http, `/v2/orders/${encodeURIComponent(id)}?nested=true`, wireOrder, 'order'),
    byName: (clientOrderId) =>
      getOrNull(
        http,
        `/v2/orders:by_client_order_id?client_order_id=${encodeURIComponent(clientOrderId)}`,
        wireOrder,
        'order',
      ),

    /** Pages overlap by a millisecond, because Alpaca's `until` may or may not include itself. */
    async list({ status, after, limit }) {
      const found = new Map<string, WireOrderPage[number]>()
      let until: string | undefined
      while (found.size < limit) {
        const pageSize = Math.min(ORDERS_A_PAGE, limit)
        const orders = await page({
          status,
          limit: String(pageSize),
          direction: 'desc',
          nested: 'true',
          ...(after !== undefined && { after }),
          ...(until !== undefined && { until }),
        })
        const before = found.size
        for (const order of orders) found.set(order.id, order)
        const oldest = orders.at(-1)
        if (orders.length < pageSize || !oldest || found.size === before) break
        until = new Date(Date.parse(oldest.submitted_at ?? oldest.created_at) + 1).toISOString()
      }
      return [...found.values()]
    },

    async *ofSymbol({ symbol, from, until, nested }) {
      let after = new Date(Date.parse(from) - 1).toISOString()
      for (;;) {
        const orders = await page({
          status: 'all',
          symbols: symbol,
          limit: String(ORDERS_A_PAGE),
          direction: 'asc',
          nested: String(nested),
          after,
          ...(until !== undefined && { until }),
        })
        yield orders
        const newest = orders.at(-1)
        const next =
          newest && new Date(Date.parse(newest.submitted_at ?? newest.created_at) - 1).toISOString()
        if (orders.length < ORDERS_A_PAGE || !next || next === after) return
        after = next
      }
    },
  }
}
