import { useQuery } from '@tanstack/react-query'
import type { Flatten } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { session } from '../connection/session.ts'
import { createStore } from '../connection/store.ts'

/** What is asked for: one account, or all of them. */
export interface FlattenBody {
  accountId?: string
}

/**
 * What was sent and has no answer yet, with its key: it outlives the question, so that opened and pressed again it is the same one,
 * and closes nothing twice. Null where nothing is open.
 */
export const sentFlatten = createStore<{ key: string; body: FlattenBody; at: number } | null>(null)

session.subscribe(() => {
  // It was asked by another person.
  if (session.get().is === 'out') sentFlatten.set(null)
})

/** Milliseconds between two looks at what is being closed. */
const FLATTEN_READ_EVERY_MS = 1_000

/**
 * What was closed last, the newest first.
 *
 * @param isAwaited one was sent whose answer was lost: it is looked for until it is told
 */
export const useFlattens = (isAwaited: boolean) =>
  useQuery({
    queryKey: ['flatten', 'latest'],
    queryFn: async () => (await ask('GET /api/v1/positions/flatten', { query: { limit: 5 } })).body.flattens,
    staleTime: 0,
    refetchInterval: isAwaited ? FLATTEN_READ_EVERY_MS : false,
  })

/** What comes of closing all positions, followed until it has ended; null for nothing. */
export const useFlatten = (id: string | null) =>
  useQuery({
    queryKey: ['flatten', id],
    queryFn: async () =>
      (await ask('GET /api/v1/positions/flatten/{flattenId}', { path: { flattenId: id! } })).body.flatten,
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data?.status === 'working' ? FLATTEN_READ_EVERY_MS : false),
  })

/** The trades that ended last, among them those that the orders of a flattening have ended. */
export const useClosedTrades = (lines: Flatten['lines']) =>
  useQuery({
    queryKey: ['trades', 'closed last'],
    queryFn: async () =>
      (await ask('GET /api/v1/trades', { query: { status: 'CLOSED', sort: 'exitAt', limit: 200 } })).body.data
        .trades,
    enabled: lines.some(({ orderId }) => orderId !== null),
  })
