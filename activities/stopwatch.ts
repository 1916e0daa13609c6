/** How long something takes, by clocks that go on while this process stands still. */
export interface Stopwatch {
  /** Milliseconds since it was started. */
  elapsed(): number
}

/**
 * Starts a stopwatch. The wall clock may be set back meanwhile, and the monotonic one stands while a whole machine sleeps: the one
 * that tells of more time counts.
 *
 * @param now the wall clock, in milliseconds
 */
export function startStopwatch(now: () => number): Stopwatch {
  const wall = now()
  const monotonic = performance.now()
  return { elapsed: () => Math.max(now() - wall, Math.floor(performance.now() - monotonic)) }
}
