import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Signal } from '#client/types.ts'
import { mayBeDecided } from '#domain/signal/signal.ts'
import { ask } from '../connection/ask.ts'
import { onNews, type News } from '../connection/live.ts'
import { isRecords, TAKEN_OVER } from '../records/news.ts'
import { follow, noticeDecidedElsewhere } from './decisions.ts'
import { markOld, queries } from '../connection/queries.ts'

const KEY = ['signals', 'pending']
/** As many as one page of the service's list holds. */
const QUEUE_ROWS = 100

/** Soonest to expire first; those that never do come last, the oldest first. */
const bySoonest = (a: Signal, b: Signal): number =>
  (a.validUntil ?? '9999').localeCompare(b.validUntil ?? '9999') || a.createdAt.localeCompare(b.createdAt)

/** Takes news of a signal over into the list of those that wait. */
function withNews(signals: readonly Signal[], news: Signal): Signal[] {
  const others = signals.filter(({ id }) => id !== news.id)
  return mayBeDecided(news.status) ? [...others, news].toSorted(bySoonest) : others
}

async function readQueue(): Promise<Signal[]> {
  const { body } = await ask('GET /api/v1/signals', { query: { status: ['pending'], limit: QUEUE_ROWS } })
  return body.data.signals.toSorted(bySoonest)
}

/** The signals that wait for a person, soonest to expire first, kept up to date by the stream. */
export const useQueue = () => useQuery({ queryKey: KEY, queryFn: readQueue })

/** Takes over what the stream tells, everywhere in the application. */
export function useNews(): void {
  useEffect(() => onNews(takeOver), [])
}

function takeOver({ name, data }: News): void {
  if (name === 'signal') {
    const news = data as Signal & { isRemoved?: true }
    if (news.isRemoved) return markOld(KEY)
    queries.setQueryData<Signal[]>(KEY, (signals) => signals && withNews(signals, news))
    follow(news)
  } else if (isRecords(name)) TAKEN_OVER[name](data)
}

/**
 * Finds out what became of a signal that the address names, as a notification does, and that is not in the queue: its card
 * then tells. True until that is known; no other card may stand in its place meanwhile, where a press would mean another
 * signal.
 *
 * @param selected the signal that the address names
 * @param isShown its card is there, or was
 */
export function useSought(
  selected: string | undefined,
  isShown: boolean,
  { isSuccess, isFetching, refetch }: ReturnType<typeof useQueue>,
): boolean {
  const [known, setKnown] = useState<string>()
  if (isShown && known !== selected) setKnown(selected)
  const isSought = selected !== undefined && !isShown && known !== selected
  const isMissing = isSought && isSuccess && !isFetching
  useEffect(() => {
    if (!isMissing || selected === undefined) return
    // It may wait although the list, which is older, does not have it.
    void noticeDecidedElsewhere({ id: selected })
      .then(() => refetch())
      .then(() => setKnown(selected))
  }, [isMissing, selected, refetch])
  return isSought
}
