import { setTimeout as pause } from 'node:timers/promises'
import type { Background } from './background.ts'

/** Milliseconds between two attempts. The sweeper leaves alone what it has not seen for a second. */
const AGAIN = 200

/** As PostgreSQL says it of a statement that it cut off: nothing of it was done. */
const CUT_OFF = '57014'

/** Something that is stored, and nothing else has begun with. */
export interface Undoable<T> {
  storing: Promise<T>
  /** Takes it away again; harmless where it is not there. */
  undo: () => Promise<unknown>
}

/**
 * Work that stores what its sender sends again when it is refused: what was answered with an error has no effect. Where the
 * error leaves open whether it was stored, as that of a connection which broke, or where the commit came after the answer, it is
 * undone, as soon as the database answers again.
 *
 * What remains: the process dies between that answer and then.
 *
 * @param inTime gives the work up in time, and throws then
 */
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
