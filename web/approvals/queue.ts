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
/** One page of the service's list. */
const QUEUE_ROWS = 100

/** Soonest to expire first; signals without an end last, by age. */
const bySoonest = (a: Signal, b: Signal): number =>
  (a.validUntil ?? '9999').localeCompare(b.validUntil ?? '9999') || a.createdAt.localeCompare(b.createdAt)

function withNews(signals: readonly Signal[], news: Signal): Signal[] {
  const others = signals.filter(({ id }) => id !== news.id)
  return mayBeDecided(news.status) ? [...others, news].toSorted(bySoonest) : others
}

async function readQueue(): Promise<Signal[]> {
  const { body } = await ask('GET /api/v1/signals', { query: { status: ['pending'], limit: QUEUE_ROWS } })
  return body.data.signals.toSorted(bySoonest)
}

/** Waiting signals, soonest to expire first, kept up to date by the stream. */
export const useQueue = () => useQuery({ queryKey: KEY, queryFn: readQueue })

/** Applies the stream's events everywhere in the application. */
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
 * Finds the outcome of a signal that the address names, as a notification does, and that is not in the queue. True
 * until it is known: another card in its place would take a press for another signal.
 *
 * @param selected the signal in the address
 * @param isShown whether its card is or was shown
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
    // The older list may lack a waiting signal.
    void noticeDecidedElsewhere({ id: selected })
      .then(() => refetch())
      .then(() => setKnown(selected))
  }, [isMissing, selected, refetch])
  return isSought
}
