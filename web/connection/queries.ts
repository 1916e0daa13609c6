import { QueryClient } from '@tanstack/react-query'
import { keepFresh } from './fresh.ts'
import { Problem } from './problem.ts'

/** What the app has read of the service, by keys. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // A refusal stays one; only what brought no answer, or says that it may pass, is read again.
      retry: (failures, error) =>
        failures < 2 && (!(error instanceof Problem) || error.status === 0 || error.status === 503),
    },
  },
})

/** What keeps it in step with the stream, and marks what a list could not take over of it. */
export const { tell: reportQueries, markOld } = keepFresh(queries, {
  isLookedAt: () => document.visibilityState === 'visible',
})

/** Reads again, after a change by this person, what is shown of these subjects. */
export const readChanged = (...subjects: string[]): Promise<unknown> =>
  Promise.all(subjects.map((subject) => queries.invalidateQueries({ queryKey: [subject] })))
