/** Milliseconds by which the broker is ahead. Fills, ends and sessions are by its clock; timers, ledger by ours. */

/** A smaller difference may come from the way of the question. */
const CORRECTED_FROM = 1_000
/** From here on the owner is notified. */
const TOLD_FROM = 5_000
/** A larger difference is a wrong answer: no exit is planned by it. */
const BELIEVED_UP_TO = 15 * 60_000
/** A fill outside of our own knowledge by no more than this is believed. */
const OWN_KNOWLEDGE_WITHIN = 5_000

/** Measured again before anything follows from it. */
export const isClockDoubted = (offset: number): boolean => Math.abs(offset) >= CORRECTED_FROM

export const clockDiffersByMuch = (offset: number): boolean => Math.abs(offset) >= TOLD_FROM

export const isClockBelieved = (offset: number): boolean => Math.abs(offset) <= BELIEVED_UP_TO

export const correctionBy = (offset: number): number =>
  isClockDoubted(offset) && isClockBelieved(offset) ? offset : 0

/** Throws a TypeError for none. */
export function medianOf(offsets: readonly number[]): number {
  const middle = offsets.toSorted((one, other) => one - other)[Math.floor((offsets.length - 1) / 2)]
  if (middle === undefined) throw new TypeError('no difference was measured')
  return middle
}

/**
 * A broker's instant of an event that we know to be between two instants of our clock: outside of them by more
 * than {@link OWN_KNOWLEDGE_WITHIN} the nearer of the two counts, as with a wrong clock that was not measured.
 * `correction`: from {@link correctionBy}. By the broker's clock.
 */
export function withinOwnKnowledge(
  told: string,
  correction: number,
  { since, until }: { since: string | null; until: string },
): string {
  const ours = Date.parse(told) - correction
  const least = since === null ? Number.NEGATIVE_INFINITY : Date.parse(since)
  const most = Date.parse(until)
  if (ours > most + OWN_KNOWLEDGE_WITHIN) return new Date(most + correction).toISOString()
  if (ours < least - OWN_KNOWLEDGE_WITHIN) return new Date(least + correction).toISOString()
  return told
}

// Lags between a broker's answers; all in milliseconds.

/** For which positions mostly lack a fill. A step that is tried again, such as an exit, waits for no longer. */
export const POSITION_LAG_MS = 5_000
/** For which they may lack one. A single decision, such as a close, a target or a limit, reckons with it. */
export const MAX_POSITION_LAG_MS = 15_000
export const POSITION_LOOK_EVERY_MS = 2_000
/** For which an accepted order need not show; after it the order counts as unconfirmed, and protects nothing. */
export const ORDER_SHOWN_WITHIN_MS = 20_000
/** For which an order is asked for before the service ends it, or gives it up, of itself. */
export const HIDDEN_ORDER_PATIENCE_MS = 60_000
