import { availableParallelism, loadavg } from 'node:os'

export interface Measured {
  /** Milliseconds of every call, in the order of their ends. */
  latencies: number[]
  /** Milliseconds from the first call to the last answer. */
  elapsedMs: number
}

/** Makes calls, at most `concurrency` at a time. The first failed call ends it. */
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

/**
 * Calls in a row: other load of the machine meets every contestant, and an account accepts twice that number in a
 * minute.
 */
export const MOST_IN_A_ROW = 500

/** Runs {@link drive} in blocks; `prepare` waits until that number of calls may follow. */
export async function driveInBlocks(
  { call, prepare }: { call(): Promise<void>; prepare(calls: number): Promise<void> },
  calls: number,
  concurrency: number,
): Promise<void> {
  for (let left = calls; left > 0; left -= MOST_IN_A_ROW) {
    const block = Math.min(left, MOST_IN_A_ROW)
    await prepare(block)
    await drive(call, block, concurrency)
  }
}

/** The nearest-rank percentile. Throws RangeError for an empty list. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const found = sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)]
  if (found === undefined) throw new RangeError('an empty list has no percentile')
  return found
}

/** Words about the machine; the load includes the benchmark's own processes. */
export const machineText = (): string => `${availableParallelism()} cores, load ${loadavg()[0]!.toFixed(1)}`

export const milliseconds = (value: number): string => `${value.toFixed(1)} ms`
export const ratio = (value: number, floor: number): string => (value / floor).toFixed(2)

export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  )
}
