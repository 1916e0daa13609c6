import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Alert } from '#client/types.ts'
import { ask, dataOf, present } from '../connection/ask.ts'
import { useAction } from '../parts/action.ts'
import { PAGE_ROWS } from '../parts/pager.tsx'
import type { AlertsSearch } from './search.ts'
import type { Remedy } from './words.ts'
import { queries } from '../connection/queries.ts'

const KEY = ['alerts']

/** Open alerts, the newest first, kept up to date by the stream. */
export const useOpenAlerts = ({ enabled = true }: { enabled?: boolean } = {}) =>
  useQuery({
    enabled,
    queryKey: [...KEY, 'open'],
    queryFn: () => dataOf('GET /api/v1/alerts', { query: { state: 'open', limit: 100 } }),
  })

export const isUnseen = ({ acknowledgedAt }: Pick<Alert, 'acknowledgedAt'>): boolean =>
  acknowledgedAt === null

/** One page of alerts, with ended ones if the address asks. */
export const useAlerts = ({ account, kind, state, page = 1 }: AlertsSearch) =>
  useQuery({
    queryKey: [...KEY, 'list', { account, kind, state, page }],
    queryFn: () =>
      dataOf('GET /api/v1/alerts', {
        query: {
          state: state ?? 'open',
          limit: PAGE_ROWS,
          offset: (page - 1) * PAGE_ROWS,
          ...present({ accountId: account, kind }),
        },
      }),
    placeholderData: keepPreviousData,
  })

export function useAcknowledge({ id }: Pick<Alert, 'id'>) {
  const { state, run } = useAction<void>()
  const acknowledge = (): void =>
    void run(async () => {
      await ask('POST /api/v1/alerts/{id}/acknowledge', { path: { id } })
      await queries.invalidateQueries({ queryKey: KEY })
    })
  return { state, acknowledge }
}

/** Accepts the position at the broker, or lets an order go that the broker does not know. */
export function useRemedy({ id, details }: Pick<Alert, 'id' | 'details'>, remedy: Remedy | null) {
  const { state, run } = useAction<void>()
  const apply = (): void =>
    void run(async () => {
      if (remedy === 'accept') await ask('POST /api/v1/alerts/{id}/accept-position', { path: { id } })
      else
        await ask('POST /api/v1/orders/{orderId}/let-go', { path: { orderId: String(details['orderId']) } })
      await queries.invalidateQueries({ queryKey: KEY })
    })
  return { state, apply }
}
