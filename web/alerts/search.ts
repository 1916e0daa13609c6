import type { Alert } from '#client/types.ts'
import { oneOf, pageOf, textOf } from '../parts/search.ts'
import { KINDS } from './words.ts'

/** Which alerts are shown, as the address tells it. */
export interface AlertsSearch {
  /** Without it, those that are open. */
  state?: 'all'
  kind?: Alert['kind']
  account?: string
  page?: number
}

export const alertsSearch = (raw: Record<string, unknown>): AlertsSearch => ({
  ...oneOf<'state', 'all'>(raw, 'state', ['all']),
  ...oneOf(raw, 'kind', Object.keys(KINDS) as Alert['kind'][]),
  ...textOf(raw, 'account'),
  ...pageOf(raw),
})
