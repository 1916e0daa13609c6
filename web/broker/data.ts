import { useQuery } from '@tanstack/react-query'
import type { BrokerConnection } from '#client/types.ts'
import { ask, dataOf } from '../connection/ask.ts'
import type { OpenThings } from './words.ts'
import { readChanged } from '../connection/queries.ts'

/** Types of broker, which do not change while the service runs. */
export const useBrokerTypes = () =>
  useQuery({
    queryKey: ['broker-types'],
    queryFn: async () => (await dataOf('GET /api/v1/brokers/types')).types,
    staleTime: Number.POSITIVE_INFINITY,
  })

export function useOpenThings({ id, accounts }: BrokerConnection) {
  return useQuery({
    queryKey: ['summary', 'broker', id],
    queryFn: async (): Promise<OpenThings> => {
      const all = await Promise.all(
        accounts.map(
          async (account) =>
            (await ask('GET /api/v1/accounts/{accountId}/summary', { path: { accountId: account.id } })).body,
        ),
      )
      return {
        positions: all.reduce((sum, { openPositions }) => sum + openPositions, 0),
        orders: all.reduce((sum, { openOrders }) => sum + openOrders, 0),
      }
    },
    staleTime: 0,
  })
}

export const brokersChanged = (): Promise<unknown> => readChanged('brokers', 'accounts', 'summary')
