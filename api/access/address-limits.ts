import { createHash, randomBytes } from 'node:crypto'
import { DAY_MS } from '#domain/time/instants.ts'
import { type Bound, type RateLimitState, MINUTE_SECONDS } from './policy.ts'

/** Limits in memory before proof of identity: strangers must not cause work. */
export const ADDRESS_BOUNDS = {
  strangers: { limit: 300, seconds: MINUTE_SECONDS },
  /** Wider for shared addresses; a valid JWT counts by user too. */
  claims: { limit: 3_000, seconds: MINUTE_SECONDS },
  /** Counts only denials, by route. */
  doors: { limit: 300, seconds: MINUTE_SECONDS },
  files: { limit: 3_000, seconds: MINUTE_SECONDS },
  /** Separate count for /healthz and /readyz. */
  probes: { limit: 1_500, seconds: MINUTE_SECONDS },
} as const satisfies Record<string, Bound>

export type AddressBound = keyof typeof ADDRESS_BOUNDS

export interface AddressLimits {
  count(bound: AddressBound, key: string): RateLimitState
  standing(bound: AddressBound, key: string): RateLimitState
  noteGood(credential: string): void
  forget(credential: string): void
  /** A recently valid token is independent of others at its address. */
  wasGood(credential: string): boolean
}

/** @param now milliseconds of a monotonic clock */
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

/** Count-min sketch with keyed hashes: bounded memory; a count may be too high, never too low. */
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
    // A higher count belongs to other keys too.
    for (const place of places) counts[place] = Math.max(counts[place]!, count)
    const isAllowed = more === 1 ? count <= limit : count < limit
    const resetSeconds = Math.max(1, Math.ceil((endsAt - now()) / 1_000))
    return { isAllowed, limit, remaining: Math.max(limit - count, 0), resetSeconds }
  }
}

/** At least, for strategies of daily bars; up to double. */
const KEPT_IN_MIND_MS = DAY_MS
const MOST_KEPT = 10_000

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
