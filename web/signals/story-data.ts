import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { OpenTrade, Order, Signal, SignalDetail, SignalEvent } from '#client/types.ts'
import { isOpening } from '#domain/signal.ts'
import { ask, dataOf } from '../connection/ask.ts'
import { onNews } from '../connection/live.ts'
import { queries } from '../connection/queries.ts'
import { isAllClosed } from './result.ts'

const keyOf = (id: string) => ['signal', id] as const
/** Longest timeline that is read at once: as many steps as the service tells on one page. */
const MOST_EVENTS = 500
/** So often the result of an open position is asked for again. */
const RESULT_EVERY_MS = 15_000

export const useSignal = (id: string) =>
  useQuery({
    queryKey: keyOf(id),
    queryFn: (): Promise<SignalDetail> => dataOf('GET /api/v1/signals/{id}', { path: { id } }),
  })

export const useTimeline = (id: string) =>
  useQuery({
    queryKey: [...keyOf(id), 'events'],
    queryFn: async (): Promise<SignalEvent[]> =>
      (await dataOf('GET /api/v1/signals/{id}/events', { path: { id }, query: { limit: MOST_EVENTS } }))
        .events,
  })

/** The orders of a signal, the first one first. */
export const useOrders = (id: string) =>
  useQuery({
    queryKey: [...keyOf(id), 'orders'],
    queryFn: async (): Promise<Order[]> =>
      (await ask('GET /api/v1/orders', { query: { signalId: id, limit: 100 } })).body.orders.toReversed(),
  })

export const useSource = (id: string) =>
  useQuery({
    queryKey: [...keyOf(id), 'source'],
    queryFn: () => dataOf('GET /api/v1/signals/{id}/source', { path: { id } }),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** What the shares are worth that a signal still owns. */
export const useOpenShares = (signal: SignalDetail) => {
  const { id, accountId, symbol } = signal
  return useQuery({
    queryKey: [...keyOf(id), 'open'],
    queryFn: async (): Promise<OpenTrade[]> => {
      const query = { accountId, symbol, limit: 100 }
      const { body } = await ask('GET /api/v1/orders/open-trades', { query })
      return body.trades.filter(({ signalId }) => signalId === id)
    },
    enabled: isOpening(signal.action) && signal.filledQuantity > 0 && !isAllClosed(signal),
    refetchInterval: RESULT_EVERY_MS,
  })
}

/** At most so often the parts of a story are read again while news of it arrive. */
const STORY_PAUSE_MS = 400

/** Keeps the story of a signal in step with the stream. */
export function useStoryNews(id: string): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onNews(({ name, data }) => {
      const news = data as { id?: string; signalId?: string | null }
      const isOwn = name === 'signal' && news.id === id
      // The stream begins, or goes on after a pause: something may have come between the reading and it.
      const isStart = name === 'ready'
      const isPart = (name === 'order' || name === 'trade') && news.signalId === id
      if (!isOwn && !isPart && !isStart) return
      if (isOwn) mergeSignal(news as Signal)
      timer ??= setTimeout(() => {
        timer = undefined
        // Not the body, which never changes.
        void queries.invalidateQueries({
          queryKey: keyOf(id),
          predicate: ({ queryKey }) => queryKey[2] !== 'source',
        })
      }, STORY_PAUSE_MS)
    })
    const mergeSignal = (news: Signal): void =>
      void queries.setQueryData<SignalDetail>(keyOf(id), (known) => known && { ...known, ...news })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [id])
}

/** Takes over a signal that an answer told, and reads the rest of its story again. */
export function useTakeOver(): (signal: Signal) => void {
  return (signal) => {
    queries.setQueryData<SignalDetail>(keyOf(signal.id), (known) => known && { ...known, ...signal })
    void queries.invalidateQueries({ queryKey: keyOf(signal.id) })
  }
}
