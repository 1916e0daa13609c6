import { setTimeout as sleep } from 'node:timers/promises'

/**
 * After an API or PostgreSQL is back, the watch goes on once the lease of the process that died has run out (6 s), with
 * its next round (2 s).
 */
export const WATCH_RESUMES_MS = 8_000

/** Waits so many milliseconds; false when the time of killing is over. */
export async function stillKilling(calm: AbortSignal, milliseconds: number): Promise<boolean> {
  try {
    await sleep(milliseconds, undefined, { signal: calm })
    return true
  } catch (error) {
    if (calm.aborted) return false
    throw error
  }
}
