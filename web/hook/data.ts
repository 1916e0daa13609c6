import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Hook, Routes, WholeHookRequest } from '#client/types.ts'
import { dataOf } from '../connection/ask.ts'
import { PAGE_ROWS } from '../parts/pager.tsx'
import type { InboxSearch } from './search.ts'

/** Milliseconds between readings of a watched inbox; the stream reports only signals and alerts. */
const INBOX_EVERY_MS = 10_000
/** More hooks than any person has. */
const HOOK_ROWS = 100

export function useHooks({ isWanted = true, isWatched = false } = {}) {
  return useQuery({
    enabled: isWanted,
    queryKey: ['hooks', 'list'],
    queryFn: async () => (await dataOf('GET /api/v1/hooks', { query: { limit: HOOK_ROWS } })).hooks,
    refetchInterval: isWatched ? INBOX_EVERY_MS : false,
  })
}

export const useHook = (id: string) =>
  useQuery({
    queryKey: ['hooks', 'one', id],
    queryFn: async (): Promise<Hook> =>
      (await dataOf('GET /api/v1/hooks/{hookId}', { path: { hookId: id } })).hook,
  })

type RequestPage = Routes['GET /api/v1/hooks/{hookId}/requests']['answers'][200]['data']

export function useRequests(id: string, { outcome, q, page = 1 }: InboxSearch) {
  return useQuery({
    queryKey: ['hooks', 'requests', id, outcome ?? '', q ?? '', page],
    queryFn: (): Promise<RequestPage> =>
      dataOf('GET /api/v1/hooks/{hookId}/requests', {
        path: { hookId: id },
        query: {
          limit: PAGE_ROWS,
          ...(page > 1 && { offset: (page - 1) * PAGE_ROWS }),
          ...(outcome !== undefined && { outcome: [outcome] }),
          ...(q !== undefined && { q }),
        },
      }),
    placeholderData: keepPreviousData,
    refetchInterval: page === 1 ? INBOX_EVERY_MS : false,
  })
}

/** One request with its signals, read again until it is processed. */
export function useRequest(hookId: string, requestId: string) {
  const queryKey = ['hooks', 'request', hookId, requestId]
  return useQuery({
    queryKey,
    queryFn: async (): Promise<WholeHookRequest> =>
      (await dataOf('GET /api/v1/hooks/{hookId}/requests/{requestId}', { path: { hookId, requestId } }))
        .request,
    refetchInterval: ({ state }) => (isMoving(state.data) ? INBOX_EVERY_MS : false),
  })
}

/** Whether it is not processed yet, or one of its signals has not ended. */
const isMoving = (request: WholeHookRequest | undefined): boolean =>
  request === undefined ||
  request.outcome === null ||
  request.signals.some(({ status }) => status === 'queued' || status === 'transmitted')
