/** What a load took. */
export interface Measured {
  /** Milliseconds of every call, in the order of their ends. */
  latencies: number[]
  /** Milliseconds from the first call to the last answer. */
  elapsedMs: number
}

/** Makes so many calls, at most `concurrency` of them at a time. The first that fails ends it. */
export async function drive(
  call: () => Promise<void>,
  calls: number,
  concurrency: number,
): Promise<Measured> {
  const latencies: number[] = []
  const begun = performance.now()
  let left = calls
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const sentAt = performance.now()
      await call()
      latencies.push(performance.now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, calls) }, caller))
  return { latencies, elapsedMs: performance.now() - begun }
}

/** The time that this share of the calls took at most, by the nearest rank. Throws for no calls. */
export function percentile(latencies: readonly number[], share: number): number {
  const sorted = latencies.toSorted((a, b) => a - b)
  const found = sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)]
  if (found === undefined) throw new RangeError('there is no percentile of no calls')
  return found
}
