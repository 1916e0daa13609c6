import { setTimeout as pause } from 'node:timers/promises'
import type { Background } from './background.ts'
import type { ApiError } from '#contract/errors.ts'

/** Milliseconds; the supervisor ignores work younger than a second. */
const AGAIN = 200

/** PostgreSQL cancelled the statement: it had no effect. */
const CUT_OFF = '57014'

export interface Compensable<T> {
  storing: Promise<T>
  /** Harmless where nothing is stored. */
  undo: () => Promise<unknown>
}

/**
 * Undoes an open outcome once the database answers: after an error the sender resends. After a crash before that, the
 * effect remains. Throws as `inTime`.
 */
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

const ATTEMPT_LIMIT = 5

/** Repeats an attempt that returns null. Throws `contended()` after the last. */
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
      // The database is still away.
      await pause(AGAIN)
    }
  }
}
