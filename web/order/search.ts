import type { Routes } from '#client/types.ts'
import { oneOf, pageOf, textOf, type ListSearch } from '../parts/search.ts'

type Query = NonNullable<NonNullable<Routes['GET /api/v1/orders']['request'][0]>['query']>

export interface OrdersSearch extends ListSearch {
  status?: NonNullable<Query['status']>
  source?: NonNullable<Query['source']>
  /** A name of {@link SORTS}, see {@link sortedOrders}. */
  sort?: keyof typeof SORTS
}

/** Sort orders; the newest order first without one. */
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

/** Initial values of a new order, from the address. */
export interface NewOrderSearch {
  symbol?: string
  account?: string
  side?: 'BUY' | 'SELL'
  shares?: string
  /** Id of the working order that it changes. */
  change?: string
  /** Closes shares without an exit; or closes now, outside the session, where stops do not work. */
  plan?: 'exit' | 'extended'
}

export const newOrderSearch = (raw: Record<string, unknown>): NewOrderSearch => ({
  ...textOf(raw, 'symbol', 'account', 'shares', 'change'),
  ...oneOf(raw, 'side', ['BUY', 'SELL'] as const),
  ...oneOf(raw, 'plan', ['exit', 'extended'] as const),
})
