/**
 * A broker's clock and ours. Its instants (fills, ends of orders, sessions) are by its clock; timers and the ledger run by
 * ours. Milliseconds by which the broker is ahead of us, below zero where it is behind.
 */

/** A smaller difference is not told from the way that the question takes. */
const CORRECTED_FROM = 1_000
/** From here on the owner is told. */
const TOLD_FROM = 5_000
/** A larger difference is a wrong answer, or a clock that says nothing: no exit is planned by it. */
const BELIEVED_UP_TO = 15 * 60_000
/** A fill that lies outside of what we know ourselves by no more than this is taken as it is told. */
const OWN_KNOWLEDGE_WITHIN = 5_000

/** Whether one measured difference is to be measured again before anything follows from it. */
export const isClockDoubted = (offset: number): boolean => Math.abs(offset) >= CORRECTED_FROM

export const clockDiffersByMuch = (offset: number): boolean => Math.abs(offset) >= TOLD_FROM

export const isClockBelieved = (offset: number): boolean => Math.abs(offset) <= BELIEVED_UP_TO

/** The difference that instants are corrected by: none for one that is too small, or cannot be believed. */
export const correctionBy = (offset: number): number =>
  isClockDoubted(offset) && isClockBelieved(offset) ? offset : 0

/** The median of several measured differences; throws a TypeError for none. */
export function medianOf(offsets: readonly number[]): number {
  const middle = offsets.toSorted((one, other) => one - other)[Math.floor((offsets.length - 1) / 2)]
  if (middle === undefined) throw new TypeError('no difference was measured')
  return middle
}

/**
 * An instant that a broker told of something that we know ourselves to have happened between two instants of our clock. One that
 * lies outside of them by more than {@link OWN_KNOWLEDGE_WITHIN}, as by a clock that is wrong and was not measured, is
 * taken to be the nearer of the two. All UTC.
 *
 * @param told by the broker's clock
 * @param correction milliseconds, from {@link correctionBy}
 * @param since,until by our clock; since: null where that is not known
 * @returns by the broker's clock as it is taken to be
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
