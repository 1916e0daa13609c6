import {
  useQueryClient,
  type InvalidateQueryFilters,
  type QueryClient,
  type QueryKey,
} from '@tanstack/react-query'
import { useEffect } from 'react'
import { onNews } from './live.ts'

/** Milliseconds between two readings of a list, however many news come. */
const PAUSE_MS = 3_000

/**
 * Marks what was read as old, because the stream has told of something newer. It is read again at once where a person
 * looks, and in a tab that is hidden only when they come back to it: ten tabs ask no more than one.
 */
export const readAgain = (queries: QueryClient, filters: InvalidateQueryFilters = {}): Promise<void> =>
  queries.invalidateQueries({
    ...filters,
    refetchType: document.visibilityState === 'visible' ? 'active' : 'none',
  })

/**
 * Reads what is shown again when the stream tells of such records: at once, and then not before a pause is over.
 *
 * @param names events of the stream, such as `order`
 * @param key the beginning of the keys of what is read again
 */
export function useFresh(names: readonly string[], key: QueryKey): void {
  const queries = useQueryClient()
  const watched = names.join(' ')
  const place = JSON.stringify(key)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isWaiting = false
    const read = (): void => {
      isWaiting = false
      void readAgain(queries, { queryKey: JSON.parse(place) as QueryKey })
      timer = setTimeout(() => {
        timer = undefined
        if (isWaiting) read()
      }, PAUSE_MS)
    }
    const stop = onNews(({ name }) => {
      if (!watched.split(' ').includes(name)) return
      if (timer === undefined) read()
      else isWaiting = true
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [queries, watched, place])
}
