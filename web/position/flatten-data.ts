import { useQuery } from '@tanstack/react-query'
import type { Flatten } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { session } from '../connection/session.ts'
import { createStore } from '../connection/store.ts'

/** One account; all accounts if absent. */
export interface FlattenBody {
  accountId?: string
}

/**
 * Request without an answer yet, with its key; null for none. It outlives the sheet: a second press repeats it, which
 * closes nothing twice.
 */
export const sentFlatten = createStore<{ key: string; body: FlattenBody; at: number } | null>(null)

session.subscribe(() => {
  // Another person sent the request.
  if (session.get().is === 'out') sentFlatten.set(null)
})

/** Milliseconds between two reads of a flattening. */
const FLATTEN_READ_EVERY_MS = 1_000

/**
 * The latest flattenings, newest first.
 *
 * @param isAwaited a request without an answer: its flattening is looked for until it is listed
 */
export const useFlattens = (isAwaited: boolean) =>
  useQuery({
    queryKey: ['flatten', 'latest'],
    queryFn: async () => (await ask('GET /api/v1/positions/flatten', { query: { limit: 5 } })).body.flattens,
    staleTime: 0,
    refetchInterval: isAwaited ? FLATTEN_READ_EVERY_MS : false,
  })

/** A flattening, read until it has ended; null for none. */
export const useFlatten = (id: string | null) =>
  useQuery({
    queryKey: ['flatten', id],
    queryFn: async () =>
      (await ask('GET /api/v1/positions/flatten/{flattenId}', { path: { flattenId: id! } })).body.flatten,
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data?.status === 'working' ? FLATTEN_READ_EVERY_MS : false),
  })

/** Trades that ended last, among them those of a flattening. */
export const useClosedTrades = (lines: Flatten['lines']) =>
  useQuery({
    queryKey: ['trades', 'closed last'],
    queryFn: async () =>
      (await ask('GET /api/v1/trades', { query: { status: 'CLOSED', sort: 'exitAt', limit: 200 } })).body.data
        .trades,
    enabled: lines.some(({ orderId }) => orderId !== null),
  })
