/** Time since a moment, also when the device slept meanwhile. */
export interface Stopwatch {
  restart(): void
  /** Since it was made or restarted last. */
  milliseconds(): number
}

/**
 * A stopwatch that runs on while the device sleeps: some browsers stop performance.now() then, and the clock of the
 * device may be set back. Whichever of both has gone further counts.
 */
export function createStopwatch(): Stopwatch {
  let steady = performance.now()
  let clock = Date.now()
  return {
    restart() {
      steady = performance.now()
      clock = Date.now()
    },
    milliseconds: () => Math.max(performance.now() - steady, Date.now() - clock),
  }
}
