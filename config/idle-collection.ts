import type { Logger } from 'pino'
import { periodically, type Part } from './periodically.ts'

const GARBAGE_LOOK_EVERY_MS = 60_000
/** Share of a processor below which no work waits for this process. */
const IDLE_SHARE = 0.08
const WORTH_COLLECTING_BYTES = 40_000_000

/**
 * Collects the garbage of an idle process that has grown: V8 does not see the memory of Temporal's SDK outside its
 * heap. A collection takes about 0.1 s. Does nothing without `node --expose-gc`.
 */
export function idleCollection(log: Pick<Logger, 'warn'>): Part {
  let last = process.cpuUsage()
  let settled = 0
  return periodically(
    'collect garbage',
    GARBAGE_LOOK_EVERY_MS,
    async () => {
      const { user, system } = process.cpuUsage(last)
      last = process.cpuUsage()
      const isIdle = (user + system) / 1_000 < IDLE_SHARE * GARBAGE_LOOK_EVERY_MS
      if (!isIdle || process.memoryUsage.rss() < settled + WORTH_COLLECTING_BYTES) return
      await globalThis.gc?.({ execution: 'async' })
      settled = process.memoryUsage.rss()
    },
    log,
  )
}
