import { useQuery } from '@tanstack/react-query'
import { ask } from '../connection/ask.ts'
import { useFresh } from '../connection/fresh.ts'

/** The alerts whose cause is not gone, the newest first. */
export function useAlerts() {
  useFresh(['alert'], ['alerts'])
  return useQuery({
    queryKey: ['alerts', 'open'],
    queryFn: async () =>
      (await ask('GET /api/v1/alerts', { query: { state: 'open', limit: 100 } })).body.data,
  })
}
