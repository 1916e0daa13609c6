import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Hook, Routes, WholeHookRequest } from '#client/types.ts'
import { dataOf } from '../connection/ask.ts'
import { PAGE_ROWS } from '../parts/pager.tsx'
import type { InboxSearch } from './search.ts'

/** Milliseconds after which the inbox is read again in any case while a person looks at it; the stream tells of signals and alerts. */
const INBOX_EVERY_MS = 10_000
/** More than any person has. */
const HOOK_ROWS = 100

/** The hooks of the person, the newest first; while it is watched, with what comes to them. */
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

/** A page of what came to a hook, the newest first, kept up to date while a person looks at it. */
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

/** One request with its body, kept up to date with its signals; read again until it is carried out. */
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

/** It is not carried out yet, or a signal of it has not ended. */
const isMoving = (request: WholeHookRequest | undefined): boolean =>
  request === undefined ||
  request.outcome === null ||
  request.signals.some(({ status }) => status === 'queued' || status === 'transmitted')
