/** Stopwatch that also counts the device's sleep. */
export interface Stopwatch {
  restart(): void
  milliseconds(): number
}

/**
 * Creates a stopwatch that takes the further of two clocks: some browsers stop performance.now() while the device
 * sleeps,
 * and its clock may be moved back.
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
