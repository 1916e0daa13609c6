// Milliseconds: the broker's clock minus ours. Fills, ends and sessions follow its clock.
// Timers and ledger follow ours.

/** A smaller difference may be latency. */
const CORRECTED_FROM = 1_000
/** The owner is notified from here on. */
const REPORTED_FROM = 5_000
/** A larger difference is a wrong answer, ignored by exits. */
const BELIEVED_UP_TO = 15 * 60_000
/** A fill that contradicts our knowledge by less is believed. */
const OWN_KNOWLEDGE_WITHIN = 5_000

/** A doubted offset is measured again. */
export const isClockDoubted = (offset: number): boolean => Math.abs(offset) >= CORRECTED_FROM

export const clockDiffersByMuch = (offset: number): boolean => Math.abs(offset) >= REPORTED_FROM

export const isClockBelieved = (offset: number): boolean => Math.abs(offset) <= BELIEVED_UP_TO

export const correctionBy = (offset: number): number =>
  isClockDoubted(offset) && isClockBelieved(offset) ? offset : 0

/** Throws TypeError without offsets. */
export function medianOf(offsets: readonly number[]): number {
  const middle = offsets.toSorted((one, other) => one - other)[Math.floor((offsets.length - 1) / 2)]
  if (middle === undefined) throw new TypeError('no difference was measured')
  return middle
}

/**
 * A broker's instant of an event between two instants of ours: beyond them by more than {@link OWN_KNOWLEDGE_WITHIN}
 * the nearer one counts. `correction`: from {@link correctionBy}. By the broker's clock.
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

// Milliseconds between a broker's answers.

/** The usual lag behind a fill, and the longest wait of a repeated step, such as an exit. */
export const POSITION_LAG_MS = 5_000
/** The longest lag, for single decisions such as a close or a limit. */
export const MAX_POSITION_LAG_MS = 15_000
export const POSITION_LOOK_EVERY_MS = 2_000
/** An accepted order may be invisible; then it is unconfirmed, and protects nothing. */
export const ORDER_SHOWN_WITHIN_MS = 20_000
/** A missing order is looked up; then the service ends it. */
export const HIDDEN_ORDER_PATIENCE_MS = 60_000
