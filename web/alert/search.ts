import type { Alert } from '#client/types.ts'
import { ALERT_NAMES } from '#domain/alert/names.ts'
import { oneOf, pageOf, textOf } from '../parts/search.ts'

export interface AlertsSearch {
  /** Without it, only open alerts are shown. */
  state?: 'all'
  kind?: Alert['kind']
  account?: string
  page?: number
}

export const alertsSearch = (raw: Record<string, unknown>): AlertsSearch => ({
  ...oneOf<'state', 'all'>(raw, 'state', ['all']),
  ...oneOf(raw, 'kind', Object.keys(ALERT_NAMES) as Alert['kind'][]),
  ...textOf(raw, 'account'),
  ...pageOf(raw),
})
