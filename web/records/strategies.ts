import { useQuery } from '@tanstack/react-query'
import type { Strategy } from '#client/types.ts'
import { ask } from '../connection/ask.ts'

/** The strategies of the person that are in use; none while they are being read. */
export function useStrategies(): readonly Strategy[] {
  const { data } = useQuery({
    queryKey: ['strategies'],
    queryFn: async () =>
      (await ask('GET /api/v1/strategies', { query: { limit: 500 } })).body.data.strategies,
  })
  return data ?? []
}
