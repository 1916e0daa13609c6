import { setTimeout as sleep } from 'node:timers/promises'

/**
 * After an API or PostgreSQL is back, the watch goes on once the lease of the process that died has run out (6 s), with
 * its next round (2 s).
 */
export const WATCH_RESUMES_MS = 8_000

/** Who kills the processes of a service while it works. */
export interface Killing {
  /** How often, by what was killed. */
  readonly kills: Readonly<Record<string, number>>
  /** When the API, which watches what is due, or PostgreSQL was down. */
  readonly unwatched: { from: string; to: string }[]
  /** When Temporal lost its data; UTC instant, null as long as it has not. */
  readonly temporalLostAt: string | null
  /** Begins to kill, so many milliseconds apart on average. */
  begin(everyMs: number): void
  /** Kills Temporal and has it come back without any data. */
  loseTemporal(): Promise<void>
  /** Kills no more, and resolves when every part works again. */
  end(): Promise<void>
  /** From now on a part that ends stays ended. */
  release(): Promise<void>
}

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
