import type { Database } from '#db/engine/database.ts'
import { noteElsewhere } from '#db/hooks/notes.ts'
import type { Background } from '../http/background.ts'

const PAUSE_MS = 10_000

/** Tells the owner that a request with a right secret or signature came from an address that is not listed. */
export type HookElsewhere = (hookId: string, ip: string) => void

export function createHookElsewhere(database: Database, background: Background): HookElsewhere {
  /** Milliseconds of `performance.now()`. */
  const notedAt = new Map<string, number>()
  return (hookId, ip) => {
    const now = performance.now()
    if (now - (notedAt.get(hookId) ?? -Infinity) < PAUSE_MS) return
    notedAt.set(hookId, now)
    background.run('note of a request from elsewhere', () => noteElsewhere(database.em.fork(), hookId, ip))
  }
}
