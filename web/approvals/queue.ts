import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Signal } from '#client/types.ts'
import { mayBeDecided } from '#domain/signal-status.ts'
import { ask } from '../connection/ask.ts'
import { readAgain } from '../connection/fresh.ts'
import { onNews, type News } from '../connection/live.ts'
import { paced } from '../connection/paced.ts'
import { isRecords, TAKEN_OVER } from '../records/news.ts'
import { follow, noticeDecidedElsewhere } from './decisions.ts'
import { queries } from '../connection/queries.ts'

const KEY = ['signals', 'pending']
/** What was read so shortly ago is not read again only because the stream begins. */
const FRESH_MS = 5_000
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

/** Keeps lists in step with the stream, everywhere in the application. */
export function useNews(): void {
  useEffect(() => {
    const lists = readingsOf()
    const stop = onNews((news) => takeOver(lists, news))
    return () => {
      stop()
      for (const list of Object.values(lists)) list.stop()
    }
  }, [])
}

/** What is read again when the stream tells of it, by the name of its event. */
const READ_AGAIN = { halt: ['halts'], user: ['me'] } as const
type Topic = keyof typeof READ_AGAIN
const isTopic = (name: string): name is Topic => Object.hasOwn(READ_AGAIN, name)

type Lists = ReturnType<typeof readingsOf>

function readingsOf() {
  const topic = (name: Topic) => paced(() => readAgain({ queryKey: [...READ_AGAIN[name]] }))
  return {
    halt: topic('halt'),
    user: topic('user'),
    // In a hidden tab too: it is what a person comes back for.
    queue: paced(() => queries.invalidateQueries({ queryKey: KEY })),
  }
}

function takeOver(lists: Lists, { name, data }: News): void {
  if (name === 'signal') {
    const news = data as Signal & { isRemoved?: true }
    if (news.isRemoved) return lists.queue.ask()
    queries.setQueryData<Signal[]>(KEY, (signals) => signals && withNews(signals, news))
    follow(news)
  } else if (isTopic(name)) lists[name].ask()
  else if (isRecords(name)) TAKEN_OVER[name](data)
  // The stream missed something: every list may be old.
  else if (name === 'reset') {
    lists.queue.ask()
    void readAgain()
  }
  // It begins, or goes on after a pause. The queue is read again in any case: a signal may have come just before.
  else if (name === 'ready') {
    lists.queue.ask()
    void readAgain({
      predicate: ({ state }) => state.fetchStatus === 'idle' && Date.now() - state.dataUpdatedAt > FRESH_MS,
    })
  }
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
