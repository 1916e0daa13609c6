import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { dataOf } from '../connection/ask.ts'
import { onNews } from '../connection/live.ts'

const KEY = ['signals', 'any']

/** Whether a signal was ever sent; undefined while it is not known. Once there is one, it is not asked again. */
export function useHasSignal(): boolean | undefined {
  const queries = useQueryClient()
  useEffect(
    () => onNews(({ name }) => name === 'signal' && queries.setQueryData<boolean>(KEY, true)),
    [queries],
  )
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: async () => (await dataOf('GET /api/v1/signals', { query: { limit: 1 } })).signals.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data
}
