import { createHash, randomBytes } from 'node:crypto'
import { DAY_MS } from '#domain/time-units.ts'
import { type Bound, type RateLimitState, MINUTE_SECONDS } from './tiers.ts'

/**
 * Bounds on what comes from one address before anybody has proven who they are. They hold beside the tiers, are counted in
 * memory, by each process for itself, and are wide enough for an office behind one address: they keep a stranger
 * from having the service do any work, and not from asking.
 */
export const ADDRESS_BOUNDS = {
  /** Requests without a credential that were refused: addresses without a route, faulty ones, wrong passwords. */
  strangers: { limit: 300, seconds: MINUTE_SECONDS },
  /**
   * Requests that were refused with a credential that could be one by its form. Those who share an address with its
   * sender have a credential too, so that it is much wider. A JWT of ours counts by its user and address.
   */
  claims: { limit: 3_000, seconds: MINUTE_SECONDS },
  /**
   * Requests to one route by which people come in, such as sign-in, that were refused. Nothing else counts, so that an
   * address which much else comes from, such as that of a proxy, signs in as often as the tier of the route allows; that
   * is far less than this, which bounds what is asked of the database once the tier refuses.
   */
  doors: { limit: 300, seconds: MINUTE_SECONDS },
  /** Files of the web application: a page takes about thirty. */
  files: { limit: 3_000, seconds: MINUTE_SECONDS },
  /** GET /healthz and /readyz: probes ask often, and must be answered whatever else comes from their address. */
  probes: { limit: 1_500, seconds: MINUTE_SECONDS },
} as const satisfies Record<string, Bound>

export type AddressBound = keyof typeof ADDRESS_BOUNDS

/** Counts by address, at once and without a database. */
export interface AddressLimits {
  /**
   * How an address stands, with one more that is counted.
   *
   * @param key the address, with whatever else tells counts of it apart
   */
  count(bound: AddressBound, key: string): RateLimitState
  /** Whether a next one would be within the bound. */
  standing(bound: AddressBound, key: string): RateLimitState
  /** Keeps in mind for a while that a token was good. */
  noteGood(credential: string): void
  /** The token is no longer good. */
  forget(credential: string): void
  /** Whether a token was good lately: whoever sends it is not held to what others do at their address. */
  wasGood(credential: string): boolean
}

/** @param now milliseconds of a clock that never goes back */
export function createAddressLimits(now: () => number = () => performance.now()): AddressLimits {
  const counters = new Map(
    Object.entries(ADDRESS_BOUNDS).map(([name, bound]) => [name, createCounter(bound, now)] as const),
  )
  const good = createMemory(now)
  return {
    count: (bound, key) => counters.get(bound)!(key, 1),
    standing: (bound, key) => counters.get(bound)!(key, 0),
    noteGood: (credential) => good.add(digestOf(credential)),
    forget: (credential) => good.forget(digestOf(credential)),
    wasGood: (credential) => good.has(digestOf(credential)),
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64')

const ROWS = 4
const COUNTS_IN_ROW = 16_384

/**
 * Counts by keys in a memory that never grows, whatever keys come: each key has one count in each row, found by a keyed
 * hash, and its own is the smallest of them. Two keys may share a count, hardly ever all four; so some count may be told too
 * high while tens of thousands of addresses are counted, and none too low: nobody begins anew by sending from
 * others as well. The window is the same for all.
 */
function createCounter({ limit, seconds }: Bound, now: () => number) {
  const secret = randomBytes(16)
  const counts = new Uint32Array(ROWS * COUNTS_IN_ROW)
  let endsAt = now() + seconds * 1_000
  const placesOf = (key: string): number[] => {
    const digest = createHash('sha256').update(secret).update(key).digest()
    return Array.from(
      { length: ROWS },
      (_, row) => row * COUNTS_IN_ROW + (digest.readUInt32LE(row * 4) % COUNTS_IN_ROW),
    )
  }
  return (key: string, more: 0 | 1): RateLimitState => {
    if (now() >= endsAt) {
      counts.fill(0)
      endsAt = now() + seconds * 1_000
    }
    const places = placesOf(key)
    const count = Math.min(...places.map((place) => counts[place]!)) + more
    // A count that is higher already belongs to other keys too.
    for (const place of places) counts[place] = Math.max(counts[place]!, count)
    const isAllowed = more === 1 ? count <= limit : count < limit
    const resetSeconds = Math.max(1, Math.ceil((endsAt - now()) / 1_000))
    return { isAllowed, limit, remaining: Math.max(limit - count, 0), resetSeconds }
  }
}

/**
 * Milliseconds for which something is kept in mind at least, so that a strategy of daily bars is known again, unless too much else comes meanwhile; twice of it at
 * most.
 */
const KEPT_IN_MIND_MS = DAY_MS
const MOST_KEPT = 10_000

/** Remembers what came lately, in two halves: the older one goes as a whole. */
function createMemory(now: () => number) {
  let newer = new Set<string>()
  let older = new Set<string>()
  let turnsAt = now() + KEPT_IN_MIND_MS
  const turn = (): void => {
    older = newer
    newer = new Set()
    turnsAt = now() + KEPT_IN_MIND_MS
  }
  return {
    add(text: string): void {
      if (now() >= turnsAt || newer.size >= MOST_KEPT) turn()
      newer.add(text)
    },
    forget(text: string): void {
      newer.delete(text)
      older.delete(text)
    },
    has: (text: string): boolean => newer.has(text) || older.has(text),
  }
}
