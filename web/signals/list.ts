import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Signal } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { onNews } from '../connection/live.ts'
import { fits, PAGE_SIZE, type Query } from './filters.ts'

/** One page of the list, as the service tells it. */
export interface SignalPage {
  signals: readonly Signal[]
  total: number
  totalIsExact: boolean
  /** Rows before the first one shown. */
  offset: number
  nextCursor: string | null
}

/** Rows that may join a page as they arrive; with more of them it is read again. */
const MOST_JOINED = 10

const keyOf = (query: Query) => ['signals', 'list', query] as const

/** A page of signals, kept up to date by the stream. */
export function useSignalPage(query: Query) {
  const queries = useQueryClient()
  const name = JSON.stringify(query)
  useEffect(
    () =>
      onNews((news) => {
        if (news.name !== 'signal') return
        const key = keyOf(JSON.parse(name) as Query)
        const data = news.data as Signal & { isRemoved?: true }
        const page = queries.getQueryData<SignalPage>(key)
        if (!page) return
        const next = data.isRemoved ? null : withNews(page, data, key[2])
        if (next) queries.setQueryData<SignalPage>(key, next)
        else void queries.invalidateQueries({ queryKey: key })
      }),
    [queries, name],
  )
  return useQuery({
    queryKey: keyOf(query),
    queryFn: async (): Promise<SignalPage> => (await ask('GET /api/v1/signals', { query })).body.data,
    placeholderData: keepPreviousData,
  })
}

/**
 * Takes news of a signal over into a page: a row changes where it stands, and one that does not fit any more leaves. A new
 * one joins the first page of the newest; null where only the service knows whether it belongs to the page.
 */
export function withNews(page: SignalPage, news: Signal, query: Query): SignalPage | null {
  const at = page.signals.findIndex(({ id }) => id === news.id)
  const belongs = fits(news, query)
  if (at !== -1 && belongs) return { ...page, signals: page.signals.with(at, news) }
  if (at !== -1)
    return { ...page, signals: page.signals.toSpliced(at, 1), total: Math.max(0, page.total - 1) }
  if (!belongs) return page
  if (page.offset > 0 || query.cursor !== undefined) return page
  const isNewest = page.signals.every(({ createdAt }) => createdAt <= news.createdAt)
  if (query.sort !== undefined || !isNewest || page.signals.length >= PAGE_SIZE + MOST_JOINED) return null
  return { ...page, signals: [news, ...page.signals], total: page.total + 1 }
}
