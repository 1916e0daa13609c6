import type { Decimal } from '#domain/money/decimal.ts'
import { decimal } from '#domain/money/decimal.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '#domain/time/instants.ts'
import { LISTINGS } from './listings.ts'

/** Dollars a share. */
export interface Quote {
  bid: Decimal
  ask: Decimal
  last: Decimal
}

/** Reach is a share of the level, about the root of the length, as in a random walk. */
const SWINGS = [
  { period: 20 * SECOND_MS, reach: 0.000_4 },
  { period: 300 * SECOND_MS, reach: 0.001_5 },
  { period: HOUR_MS, reach: 0.005 },
  { period: 8 * HOUR_MS, reach: 0.012 },
  { period: 3 * DAY_MS, reach: 0.03 },
  { period: 30 * DAY_MS, reach: 0.06 },
] as const

/** Share of the price; at least a cent. */
const HALF_SPREAD = 0.000_05

/** Pure: one seed has the same market everywhere. Epoch milliseconds; constant time. */
export function quoteAt(seed: number, symbol: string, instant: number): Quote {
  const cents = pathInCents(seed, symbol, instant)
  const halfSpread = Math.max(1, Math.round(cents * HALF_SPREAD))
  return {
    bid: dollars(Math.max(1, cents - halfSpread)),
    ask: dollars(Math.max(1, cents - halfSpread) + 2 * halfSpread),
    last: dollars(Math.max(1, cents - halfSpread) + halfSpread),
  }
}

function pathInCents(seed: number, symbol: string, instant: number): number {
  const identity = mix(hashText(symbol) ^ Math.imul(seed | 0, 0x9e3779b1))
  let swing = 0
  for (const [scale, { period, reach }] of SWINGS.entries()) {
    swing += reach * smoothNoise(mix(identity + scale), instant / period)
  }
  return Math.round(levelOf(symbol) * (1 + swing) * 100)
}

/** Dollars: listed, or between 20 and 320 by the letters. */
function levelOf(symbol: string): number {
  const listing = LISTINGS.get(symbol)
  if (listing) return listing.level
  const share = mix(hashText(symbol)) / 2 ** 32
  return 20 + 300 * share * share
}

function smoothNoise(seed: number, position: number): number {
  const left = Math.floor(position)
  const along = position - left
  const ease = along * along * (3 - 2 * along)
  return heightAt(seed, left) * (1 - ease) + heightAt(seed, left + 1) * ease
}

const heightAt = (seed: number, position: number): number => mix(seed ^ mix(position)) / 2 ** 31 - 1

function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}

function mix(value: number): number {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

const dollars = (cents: number): Decimal => decimal((cents / 100).toFixed(2))
