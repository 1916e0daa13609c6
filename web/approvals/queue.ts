import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Account, Signal } from '#client/types.ts'
import { mayBeDecided } from '#domain/signal-status.ts'
import { ask } from '../connection/ask.ts'
import { readAgain } from '../connection/fresh.ts'
import { onNews, type News } from '../connection/live.ts'
import { paced } from '../connection/paced.ts'
import { follow } from './decisions.ts'

const KEY = ['signals', 'pending']
/** What was read so shortly ago is not read again only because the stream begins. */
const FRESH_MS = 5_000
/** As many as one page of the service's list holds. */
const MOST = 100

/** Soonest to expire first; those that never do come last, the oldest first. */
const bySoonest = (a: Signal, b: Signal): number =>
  (a.validUntil ?? '9999').localeCompare(b.validUntil ?? '9999') || a.createdAt.localeCompare(b.createdAt)

/** Takes news of a signal over into the list of those that wait. */
function withNews(signals: readonly Signal[], news: Signal): Signal[] {
  const others = signals.filter(({ id }) => id !== news.id)
  return mayBeDecided(news.status) ? [...others, news].toSorted(bySoonest) : others
}

async function readQueue(): Promise<Signal[]> {
  const { body } = await ask('GET /api/v1/signals', { query: { status: ['pending'], limit: MOST } })
  return body.data.signals.toSorted(bySoonest)
}

/** The signals that wait for a person, soonest to expire first, kept up to date by the stream. */
export const useQueue = () => useQuery({ queryKey: KEY, queryFn: readQueue })

/** The accounts that are connected, the primary one first. */
export const useAccountList = () =>
  useQuery({
    queryKey: ['accounts'],
    queryFn: async () => (await ask('GET /api/v1/accounts')).body.accounts,
  })

export function useAccounts(): ReadonlyMap<string, Account> {
  const { data } = useAccountList()
  return new Map((data ?? []).map((account) => [account.id, account]))
}

/** Keeps lists in step with the stream, everywhere in the application. */
export function useNews(): void {
  const queries = useQueryClient()
  useEffect(() => {
    const lists = readingsOf(queries)
    const stop = onNews((news) => takeOver(queries, lists, news))
    return () => {
      stop()
      for (const list of Object.values(lists)) list.stop()
    }
  }, [queries])
}

/** What is read again when the stream tells of it, by the name of its event. */
const READ_AGAIN = { account: ['accounts'], halt: ['halts'], user: ['me'] } as const
type Topic = keyof typeof READ_AGAIN
const isTopic = (name: string): name is Topic => Object.hasOwn(READ_AGAIN, name)

type Lists = ReturnType<typeof readingsOf>

function readingsOf(queries: QueryClient) {
  const topic = (name: Topic) => paced(() => readAgain(queries, { queryKey: [...READ_AGAIN[name]] }))
  return {
    account: topic('account'),
    halt: topic('halt'),
    user: topic('user'),
    // In a hidden tab too: it is what a person comes back for.
    queue: paced(() => queries.invalidateQueries({ queryKey: KEY })),
  }
}

function takeOver(queries: QueryClient, lists: Lists, { name, data }: News): void {
  if (name === 'signal') {
    const news = data as Signal & { isRemoved?: true }
    if (news.isRemoved) return lists.queue.ask()
    queries.setQueryData<Signal[]>(KEY, (signals) => signals && withNews(signals, news))
    follow(news)
  } else if (isTopic(name)) lists[name].ask()
  // The stream missed something: every list may be old.
  else if (name === 'reset') {
    lists.queue.ask()
    void readAgain(queries)
  }
  // It begins, or goes on after a pause. The queue is read again in any case: a signal may have come just before.
  else if (name === 'ready') {
    lists.queue.ask()
    void readAgain(queries, {
      predicate: ({ state }) => state.fetchStatus === 'idle' && Date.now() - state.dataUpdatedAt > FRESH_MS,
    })
  }
}
