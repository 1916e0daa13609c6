import { useQuery } from '@tanstack/react-query'
import { ask } from '../connection/ask.ts'

/** How this installation is set up: asked once a page load, by those parts that need it. */
export const useAppInfo = () =>
  useQuery({
    queryKey: ['app'],
    queryFn: async () => (await ask('GET /api/v1/app')).body.data,
    staleTime: Number.POSITIVE_INFINITY,
  })
