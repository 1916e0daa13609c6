import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { dataOf } from '../connection/ask.ts'
import { PAGE_ROWS } from '../parts/pager.tsx'
import { readChanged } from '../connection/queries.ts'

/** Where the person is signed in. */
export const useSessions = () =>
  useQuery({
    queryKey: ['sessions'],
    queryFn: async () => (await dataOf('GET /api/v1/sessions')).sessions,
  })

/** What was done in the person's name, the newest first. */
export const useSecurityLog = (page: number) =>
  useQuery({
    queryKey: ['security-log', page],
    queryFn: () =>
      dataOf('GET /api/v1/audit-log', { query: { limit: PAGE_ROWS, offset: (page - 1) * PAGE_ROWS } }),
    placeholderData: keepPreviousData,
  })

/** After a change, of which no event of the stream tells. */
export const readOwnAccountAgain = (): Promise<unknown> => readChanged('me', 'sessions', 'security-log')
