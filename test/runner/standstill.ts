import { Worker } from 'node:worker_threads'

/**
 * Watches whether this process gets to run its timers. Where it does not, because code never comes to an end or never
 * lets an event in, a thread prints where that code is, which no time limit of a test can do.
 *
 * @param after milliseconds without a timer that count as standing still
 */
export function watchForStandstill(after: number): void {
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  setInterval(() => Atomics.add(beats, 0, 1), after / 10).unref()
  const thread = new URL('standstill-watch.ts', import.meta.url)
  new Worker(thread, { execArgv: [], workerData: { beats, after } }).unref()
}
