import type { InvalidateQueryFilters, QueryKey } from '@tanstack/react-query'
import { useEffect } from 'react'
import { onNews } from './live.ts'
import { paced } from './paced.ts'
import { queries } from './queries.ts'

/**
 * Marks what was read as old, because the stream has told of something newer. It is read again at once where a person
 * looks, and in a tab that is hidden only when they come back to it: ten tabs ask no more than one.
 */
export const readAgain = (filters: InvalidateQueryFilters = {}): Promise<void> =>
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
  const watched = names.join(' ')
  const place = JSON.stringify(key)
  useEffect(() => {
    const list = paced(() => readAgain({ queryKey: JSON.parse(place) as QueryKey }))
    const stop = onNews(({ name }) => {
      if (watched.split(' ').includes(name)) list.ask()
    })
    return () => {
      list.stop()
      stop()
    }
  }, [watched, place])
}
