import type { Wish } from '#test/support/evidence.ts'

/** The times of a signal in milliseconds from the moment in which it is sent. */
export interface Timing {
  /** When it is to be processed. */
  dueInMs?: number
  /** How long it is valid. */
  validForMs?: number
  /** When its order is to be cancelled. */
  expiresInMs?: number
}

/** An order that left in time may have lain on the road for so long when the broker accepts it. */
const ON_THE_ROAD_MS = 8_000

/** The times as fields of a body that is sent at `now`; in milliseconds since the epoch. */
export const timesIn = ({ dueInMs, validForMs, expiresInMs }: Timing, now: number): object => ({
  ...(dueInMs !== undefined && { scheduledProcessAt: localTime(now + dueInMs), timezone: 'UTC' }),
  ...(validForMs !== undefined && { validUntil: localTime(now + validForMs), timezone: 'UTC' }),
  ...(expiresInMs !== undefined && { expiresAt: instant(now + expiresInMs) }),
})

/** Writes down when the order of a wish that is sent at `now` may come, as far as its times say. */
export function bound(wish: Wish, { dueInMs, validForMs }: Timing, now: number): void {
  if (dueInMs !== undefined) wish.notBefore = instant(now + dueInMs)
  if (validForMs !== undefined) wish.notAfter = instant(now + validForMs + ON_THE_ROAD_MS)
}

/** From now on an order may come: somebody has asked for it. */
export function allow(wish: Wish): void {
  const now = instant(Date.now())
  if (wish.notBefore !== null && now < wish.notBefore) wish.notBefore = now
}

/** What takes the place of the signal has no end of its own. */
export function unbound(wish: Wish): void {
  allow(wish)
  wish.notAfter = null
}

const instant = (time: number): string => new Date(time).toISOString()
const localTime = (time: number): string => instant(time).slice(0, -1)
