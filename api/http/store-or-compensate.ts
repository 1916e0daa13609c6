import { setTimeout as pause } from 'node:timers/promises'
import type { Background } from './background.ts'
import type { ApiError } from '#contract/errors.ts'

/** Milliseconds. The supervisor ignores what is younger than a second. */
const AGAIN = 200

/** PostgreSQL cut the statement off: it had no effect. */
const CUT_OFF = '57014'

export interface Compensable<T> {
  storing: Promise<T>
  /** Harmless where nothing is stored. */
  undo: () => Promise<unknown>
}

/** An answer with an error means no effect, because its sender sends again: an open outcome is undone once
 * the database answers. When the process dies before, the effect remains. `inTime` throws. */
export async function storeOrCompensate<T>(
  { background }: { background: Pick<Background, 'run'> },
  inTime: (work: Promise<T>) => Promise<T>,
  { storing, undo }: Compensable<T>,
): Promise<T> {
  try {
    return await inTime(storing)
  } catch (error) {
    background.run('undo of what was answered with an error', async () => {
      const isOpen = await storing.then(
        () => true,
        (failure: unknown) => (failure as { code?: unknown } | null)?.code !== CUT_OFF,
      )
      if (isOpen) await untilDone(undo)
    })
    throw error
  }
}

/** Attempts at a name whose holders are taken away meanwhile. */
const ATTEMPT_LIMIT = 5

/** Null: what kept the request from being stored has gone meanwhile. Throws `contended()` where that goes on. */
export async function untilSettled<T>(
  contended: () => ApiError,
  attempt: () => Promise<T | null>,
): Promise<T> {
  for (let tries = 1; tries <= ATTEMPT_LIMIT; tries++) {
    const settled = await attempt()
    if (settled !== null) return settled
  }
  throw contended()
}

async function untilDone(undo: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await undo()
      return
    } catch {
      // The database is away: it is the reason for the undoing.
      await pause(AGAIN)
    }
  }
}
