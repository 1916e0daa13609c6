import { setTimeout as pause } from 'node:timers/promises'
import type { Background } from './background.ts'

/** Milliseconds. The supervisor ignores what is younger than a second. */
const AGAIN = 200

/** PostgreSQL cut the statement off: it had no effect. */
const CUT_OFF = '57014'

export interface Undoable<T> {
  storing: Promise<T>
  /** Harmless where nothing is stored. */
  undo: () => Promise<unknown>
}

/** An answer with an error means no effect, because its sender sends again: an open outcome is undone once
 * the database answers. When the process dies before, the effect remains. `inTime` throws. */
export async function storedOrUndone<T>(
  { background }: { background: Background },
  inTime: (work: Promise<T>) => Promise<T>,
  { storing, undo }: Undoable<T>,
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
