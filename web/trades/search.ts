import type { Routes } from '#client/types.ts'
import { oneOf, pageOf, textOf, type ListSearch } from '../parts/search.ts'

type Query = NonNullable<NonNullable<Routes['GET /api/v1/trades']['request'][0]>['query']>

/** Which trades are shown, as the address tells it. */
export interface TradesSearch extends ListSearch {
  status?: NonNullable<Query['status']>
  side?: NonNullable<Query['side']>
  strategy?: string
}

export const tradesSearch = (raw: Record<string, unknown>): TradesSearch => ({
  ...pageOf(raw),
  ...textOf(raw, 'account', 'symbol', 'from', 'to', 'strategy'),
  ...oneOf(raw, 'status', ['OPEN', 'CLOSED'] as const),
  ...oneOf(raw, 'side', ['LONG', 'SHORT'] as const),
})
