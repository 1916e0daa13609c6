import type { Query, QueryClient, QueryKey } from '@tanstack/react-query'
import { OLD_BY, type OldBy } from './old-by.ts'
import { paced } from './paced.ts'
import { Problem } from './problem.ts'

/** Milliseconds after a reading in which the start of the stream does not repeat it. */
const FRESH_MS = 5_000
/** Milliseconds until a failed reading of shown, old data is repeated. */
const RETRY_MS = 15_000

/** Age of a query's data, counted in events. */
interface Age {
  row: OldBy | undefined
  /** The last event that made it old. */
  oldAt: number
  /** Number of events at the start of the present reading. */
  readFrom: number
  /** Number of events at the start of the shown reading. */
  shownFrom: number
  /** Requests a reading, done where a person looks. */
  ask: () => void
}

interface FreshOptions {
  rows?: readonly OldBy[]
  /** Whether a person looks at this tab. */
  isLookedAt: () => boolean
  pauseMs?: number
  retryMs?: number
}

/**
 * Marks data as old after an event, and reads shown data again: at once, then after a pause at the earliest. A reading
 * that began before the event is old when it arrives. A hidden tab reads when a person returns: ten tabs ask no more
 * than one.
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
      // A record applied by hand makes the others no newer.
      if (!isBehind(query)) return
      query.invalidate()
      if (action.manual !== true) age.ask()
    } else if (action.type === 'error' && isBehind(query) && mayPass(action.error))
      setTimeout(age.ask, retryMs)
  })

  return {
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

/** The row with the longest key that begins this key. */
export const rowOf = (rows: readonly OldBy[], key: QueryKey): OldBy | undefined =>
  rows
    .filter((row) => row.key.every((part, at) => key[at] === part))
    .toSorted((a, b) => b.key.length - a.key.length)[0]

/** Idle and older than {@link FRESH_MS}: it may have changed during a pause of the stream. */
const isIdleAndOlder = ({ state }: Query): boolean =>
  state.fetchStatus === 'idle' && Date.now() - state.dataUpdatedAt > FRESH_MS

function isAbout(data: unknown, id: unknown): boolean {
  const { id: record, signalId, topics } = data as { id?: unknown; signalId?: unknown; topics?: unknown }
  // The beginning of the stream concerns all records.
  return record === id || signalId === id || topics !== undefined
}

/** Whether another attempt may succeed. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof Problem) || error.status === 0 || error.status === 429 || error.status >= 500
