import { isIP, isIPv6 } from 'node:net'
import type { TrustedProxies } from '#contract/values/networks.ts'
import { createHash, randomBytes } from 'node:crypto'
import { DAY_MS } from '#domain/time-units.ts'
import { type Bound, type RateLimitState, MINUTE_SECONDS, ATTEMPTS, TIERS } from './policy.ts'
import type { Limits } from './limits.ts'

/** Believes X-Forwarded-For from the right up to the first address that is no proxy of ours, without ports. */
export function clientAddress(peer: string, forwardedFor: string, proxies: TrustedProxies): string {
  let address = plainAddress(peer)
  const claimed = forwardedFor.split(',').map((part) => plainAddress(withoutPort(part.trim())))
  while (isTrusted(address, proxies)) {
    const previous = claimed.pop()
    if (previous === undefined || isIP(previous) === 0) break
    address = previous
  }
  return address
}

/** Counts by IPv4 address, or /64 network of IPv6, which one household or machine has to itself. */
export function addressBucket(address: string): string {
  if (!isIPv6(address)) return address
  const groups = expand(address).slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

const withoutPort = (text: string): string =>
  /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text

/** ::ffff:1.2.3.4 is IPv4; a zone (fe80::1%eth0) is cut off. */
export const plainAddress = (address: string): string =>
  address.split('%', 1)[0]!.replace(/^::ffff:(?=\d+\.)/i, '')

export function isTrusted(address: string, proxies: TrustedProxies): boolean {
  const family = isIP(address)
  return family !== 0 && proxies.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

function expand(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  // The last group may be IPv4; it stands for two and lies beyond the first four.
  const length = left.length + right.length + (address.includes('.') ? 1 : 0)
  return tail === undefined ? left : [...left, ...Array<string>(8 - length).fill('0'), ...right]
}

/** Before a proof of identity, beside the tiers, in memory: strangers may ask, but not cause work. */
export const ADDRESS_BOUNDS = {
  strangers: { limit: 300, seconds: MINUTE_SECONDS },
  /** Wider: others at the address have a credential too. A JWT of ours counts by user and address. */
  claims: { limit: 3_000, seconds: MINUTE_SECONDS },
  /** By route and only when refused: a shared address signs in as often as the tier allows. */
  doors: { limit: 300, seconds: MINUTE_SECONDS },
  files: { limit: 3_000, seconds: MINUTE_SECONDS },
  /** Of /healthz and /readyz, answered whatever else comes from the address. */
  probes: { limit: 1_500, seconds: MINUTE_SECONDS },
} as const satisfies Record<string, Bound>

export type AddressBound = keyof typeof ADDRESS_BOUNDS

export interface AddressLimits {
  count(bound: AddressBound, key: string): RateLimitState
  standing(bound: AddressBound, key: string): RateLimitState
  noteGood(credential: string): void
  forget(credential: string): void
  /** A token that was good lately is not held to what others do at its address. */
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

/** A count-min sketch with keyed hashes: bounded memory; a count may be too high, never too low. */
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

/** At least, up to twice as long: a strategy of daily bars is known again. */
const KEPT_IN_MIND_MS = DAY_MS
const MOST_KEPT = 10_000

/** Two halves; the older one goes as a whole. */
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

/** For RATE_LIMITS=off, with which throughput is measured. */
export const unlimited: Limits = {
  count: (tier) => Promise.resolve(untouched(TIERS[tier])),
  countHere: (tier) => Promise.resolve(untouched(TIERS[tier])),
  besideHolder: () => null,
  stateOf: (tier) => untouched(TIERS[tier]),
  giveBack: (_tier, _key, counted) => counted,
  countAttempt: (kind) => Promise.resolve(untouched(ATTEMPTS[kind][0])),
  forgive: () => Promise.resolve(),
  takeBack: () => Promise.resolve(),
  addresses: {
    count: (bound) => untouched(ADDRESS_BOUNDS[bound]),
    standing: (bound) => untouched(ADDRESS_BOUNDS[bound]),
    noteGood: () => {},
    forget: () => {},
    wasGood: () => false,
  },
}

const untouched = ({ limit, seconds }: { limit: number; seconds: number }) => ({
  isAllowed: true,
  limit,
  remaining: limit,
  resetSeconds: seconds,
  isFirstRefusal: false,
  isHere: false,
  isReserved: false,
})
