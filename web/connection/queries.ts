import { QueryClient } from '@tanstack/react-query'
import { keepFresh } from './fresh.ts'
import { Problem } from './problem.ts'

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // A refusal is final; only a missing answer or 503 is retried.
      retry: (failures, error) =>
        failures < 2 && (!(error instanceof Problem) || error.status === 0 || error.status === 503),
    },
  },
})

/** Keeps the cache up to date with the stream. */
export const { tell: reportQueries, markOld } = keepFresh(queries, {
  isLookedAt: () => document.visibilityState === 'visible',
})

/** Reads shown data of these subjects again after a change. */
export const readChanged = (...subjects: string[]): Promise<unknown> =>
  Promise.all(subjects.map((subject) => queries.invalidateQueries({ queryKey: [subject] })))
