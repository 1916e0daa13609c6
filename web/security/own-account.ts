import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { dataOf } from '../connection/ask.ts'
import { PAGE_ROWS } from '../parts/pager.tsx'
import { readChanged } from '../connection/queries.ts'

export const useSessions = () =>
  useQuery({
    queryKey: ['sessions'],
    queryFn: async () => (await dataOf('GET /api/v1/sessions')).sessions,
  })

/** Events in the person's name, newest first. */
export const useSecurityLog = (page: number) =>
  useQuery({
    queryKey: ['security-log', page],
    queryFn: () =>
      dataOf('GET /api/v1/audit-log', { query: { limit: PAGE_ROWS, offset: (page - 1) * PAGE_ROWS } }),
    placeholderData: keepPreviousData,
  })

/** Reads the account again after a change that the stream does not report. */
export const readOwnAccountAgain = (): Promise<unknown> => readChanged('me', 'sessions', 'security-log')
