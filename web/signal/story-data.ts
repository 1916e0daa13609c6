import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { OpenTrade, Order, Signal, SignalDetail, SignalEvent } from '#client/types.ts'
import { isOpening } from '#domain/signal/signal.ts'
import { ask, dataOf } from '../connection/ask.ts'
import { onNews } from '../connection/live.ts'
import { queries } from '../connection/queries.ts'
import { isAllClosed } from './result.ts'

const keyOf = (id: string) => ['signal', id] as const
/** Most timeline steps that are read: one page of the service. */
const MOST_EVENTS = 500
/** Milliseconds between two reads of an open position's result. */
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

/** Orders of a signal, oldest first. */
export const useOrders = (id: string) =>
  useQuery({
    queryKey: [...keyOf(id), 'orders'],
    queryFn: async (): Promise<Order[]> =>
      (await ask('GET /api/v1/orders', { query: { signalId: id, limit: 100 } })).body.orders.toReversed(),
  })

export const useSource = (id: string) =>
  useQuery({
    queryKey: ['source of a signal', id],
    queryFn: () => dataOf('GET /api/v1/signals/{id}/source', { path: { id } }),
    staleTime: Number.POSITIVE_INFINITY,
  })

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

/** Shows news from the stream before the rest of the data is read again. */
export function useStoryNews(id: string): void {
  useEffect(
    () =>
      onNews(({ name, data }) => {
        const news = data as Signal
        if (name === 'signal' && news.id === id)
          queries.setQueryData<SignalDetail>(keyOf(id), (known) => known && { ...known, ...news })
      }),
    [id],
  )
}

/** Applies a signal from an answer, and reads its other data again. */
export function useTakeOver(): (signal: Signal) => void {
  return (signal) => {
    queries.setQueryData<SignalDetail>(keyOf(signal.id), (known) => known && { ...known, ...signal })
    void queries.invalidateQueries({ queryKey: keyOf(signal.id) })
  }
}
