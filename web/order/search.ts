import type { Routes } from '#client/types.ts'
import { oneOf, pageOf, textOf, type ListSearch } from '../parts/search.ts'

type Query = NonNullable<NonNullable<Routes['GET /api/v1/orders']['request'][0]>['query']>

/** Which orders are shown, as the address tells it. */
export interface OrdersSearch extends ListSearch {
  status?: NonNullable<Query['status']>
  source?: NonNullable<Query['source']>
  /** A name of {@link SORTS}, see {@link sortedOrders}. */
  sort?: keyof typeof SORTS
}

/** By what orders are sorted; the last one placed comes first without any. */
export const SORTS = {
  'placed.asc': 'oldest first',
  'symbol.asc': 'symbol A to Z',
  'symbol.desc': 'symbol Z to A',
  'status.asc': 'status A to Z',
  'status.desc': 'status Z to A',
} as const

const STATUS_FILTERS = ['OPEN', 'FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED'] as const

export const ordersSearch = (raw: Record<string, unknown>): OrdersSearch => ({
  ...pageOf(raw),
  ...textOf(raw, 'account', 'symbol', 'from', 'to'),
  ...oneOf(raw, 'status', STATUS_FILTERS),
  ...oneOf(raw, 'source', ['signal', 'manual'] as const),
  ...oneOf(raw, 'sort', Object.keys(SORTS) as (keyof typeof SORTS)[]),
})

/** What an order may be begun with, from the address. */
export interface NewOrderSearch {
  symbol?: string
  account?: string
  side?: 'BUY' | 'SELL'
  shares?: string
  /** The id of the working order that it changes. */
  change?: string
  /** It is to close shares that have no exit; or now, outside the session, where stops do not work. */
  plan?: 'exit' | 'extended'
}

export const newOrderSearch = (raw: Record<string, unknown>): NewOrderSearch => ({
  ...textOf(raw, 'symbol', 'account', 'shares', 'change'),
  ...oneOf(raw, 'side', ['BUY', 'SELL'] as const),
  ...oneOf(raw, 'plan', ['exit', 'extended'] as const),
})
