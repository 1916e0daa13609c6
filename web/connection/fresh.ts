import type { Query, QueryClient, QueryKey } from '@tanstack/react-query'
import { OLD_BY, type OldBy } from './old-by.ts'
import { paced } from './paced.ts'
import { Problem } from './problem.ts'

/** What was read so shortly ago is not read again only because the stream begins. */
const FRESH_MS = 5_000
/** Milliseconds until what could not be read is tried again, as long as it is shown and old. */
const RETRY_MS = 15_000

/** How old what a query has is, counted in news. */
interface Age {
  row: OldBy | undefined
  /** The last news that made it old. */
  oldAt: number
  /** News that had been told when the present reading began. */
  readFrom: number
  /** The same of the reading that it shows. */
  shownFrom: number
  /** Asks for it to be read where a person looks. */
  ask: () => void
}

interface FreshOptions {
  rows?: readonly OldBy[]
  /** A person looks at this tab. */
  isLookedAt: () => boolean
  pauseMs?: number
  retryMs?: number
}

/**
 * Marks as old what the stream has told of something newer, shown or not, and reads what is shown again: at once, and then not
 * before a pause is over. A reading that began before the news counts as old when it comes. What is not looked at is read
 * when a person comes back to it: ten tabs ask no more than one.
 */
export function keepFresh(
  client: QueryClient,
  { rows = OLD_BY, isLookedAt, pauseMs, retryMs = RETRY_MS }: FreshOptions,
) {
  const cache = client.getQueryCache()
  const ages = new WeakMap<Query, Age>()
  const known = new Set(['ready', 'reset', ...rows.flatMap(eventsOf)])
  let told = 0

  const ageOf = (query: Query): Age => {
    const known = ages.get(query)
    if (known) return known
    const row = rowOf(rows, query.queryKey)
    const isDue = (): boolean =>
      isBehind(query) && query.isActive() && (isLookedAt() || row?.isReadHidden === true)
    const { ask } = paced(async () => {
      if (isDue())
        await client.refetchQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: false })
    }, row?.pauseMs ?? pauseMs)
    const age: Age = { row, oldAt: 0, readFrom: 0, shownFrom: 0, ask }
    ages.set(query, age)
    return age
  }
  const isBehind = (query: Query): boolean => {
    const { oldAt, shownFrom } = ageOf(query)
    return oldAt > shownFrom
  }
  const markQuery = (query: Query): void => {
    const age = ageOf(query)
    age.oldAt = told
    query.invalidate()
    age.ask()
  }
  const stop = cache.subscribe((event) => {
    if (event.type !== 'updated') return
    const { action } = event
    const query = event.query as Query
    const age = ageOf(query)
    if (action.type === 'fetch') age.readFrom = told
    else if (action.type === 'success') {
      if (action.manual !== true) age.shownFrom = age.readFrom
      // A record that was taken over makes the others no newer.
      if (!isBehind(query)) return
      query.invalidate()
      if (action.manual !== true) age.ask()
    } else if (action.type === 'error' && isBehind(query) && mayPass(action.error))
      setTimeout(age.ask, retryMs)
  })

  return {
    /** Something newer is there than what is read under these keys. */
    markOld(key: QueryKey): void {
      told += 1
      for (const query of cache.findAll({ queryKey: key })) markQuery(query)
    },
    tell({ name, data }: { name: string; data: unknown }): void {
      if (!known.has(name)) return
      told += 1
      for (const query of cache.getAll()) {
        const { row } = ageOf(query)
        const isMissed = name === 'reset' || (name === 'ready' && isIdleAndOlder(query))
        const isTaken =
          row?.taken?.includes(name) === true && query.isActive() && query.state.fetchStatus === 'idle'
        const isOld = row !== undefined && eventsOf(row).includes(name) && !isTaken
        if (isMissed || (isOld && (row.isOfOne !== true || isAbout(data, query.queryKey[row.key.length]))))
          markQuery(query)
      }
    },
    stop,
  }
}

const eventsOf = ({ by = [], taken = [] }: OldBy): string[] => [...by, ...taken]

/** The line of a key: of those whose key it begins with, the one with the longest. */
export const rowOf = (rows: readonly OldBy[], key: QueryKey): OldBy | undefined =>
  rows
    .filter((row) => row.key.every((part, at) => key[at] === part))
    .toSorted((a, b) => b.key.length - a.key.length)[0]

/** It goes on after a pause: what no news tells of may have changed. */
const isIdleAndOlder = ({ state }: Query): boolean =>
  state.fetchStatus === 'idle' && Date.now() - state.dataUpdatedAt > FRESH_MS

function isAbout(data: unknown, id: unknown): boolean {
  const { id: record, signalId, topics } = data as { id?: unknown; signalId?: unknown; topics?: unknown }
  // The beginning of the stream is about all.
  return record === id || signalId === id || topics !== undefined
}

/** Another attempt may be answered. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof Problem) || error.status === 0 || error.status === 429 || error.status >= 500
