export interface Stopwatch {
  elapsed(): number
}

/** The wall clock may be set back, and the monotonic one stands while a machine sleeps: the later one counts. */
export function startStopwatch(now: () => number): Stopwatch {
  const wall = now()
  const monotonic = performance.now()
  return { elapsed: () => Math.max(now() - wall, Math.floor(performance.now() - monotonic)) }
}
