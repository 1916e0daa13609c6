import { useQuery } from '@tanstack/react-query'
import { createClient } from '#client/client.ts'
import type { Routes } from '#client/types.ts'
import { noAnswer, problemOf } from '../connection/problem.ts'

/** Milliseconds between two looks at the service's parts, of which no event tells. */
const HEALTH_READ_EVERY_MS = 15_000

type Readiness = Routes['GET /readyz']['answers'][200]

/** Which parts of the service work; a part that is down is an answer, not an error. */
export const useReadiness = () =>
  useQuery({
    queryKey: ['readiness'],
    queryFn: async (): Promise<Readiness> => {
      const answer = await createClient(location.origin)('GET /readyz').catch(() => {
        throw noAnswer()
      })
      if (answer.status === 200 || answer.status === 503) return answer.body
      throw problemOf(answer.status, answer.body)
    },
    refetchInterval: HEALTH_READ_EVERY_MS,
    retry: false,
  })
