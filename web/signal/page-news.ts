import type { Signal } from '#client/types.ts'
import { fits, PAGE_SIZE, type Query } from './filters.ts'

export interface SignalPage {
  signals: readonly Signal[]
  total: number
  totalIsExact: boolean
  /** Rows before the first one shown. */
  offset: number
  nextCursor: string | null
}

/** Most rows that join a page as they arrive; with more it is read again. */
const MOST_JOINED = 10

/**
 * Applies news of a signal: a row changes in place, one that no longer fits leaves, a new one joins the first page of
 * the newest. Null if only the service knows whether it belongs to the page.
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
