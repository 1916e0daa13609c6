import type { Database } from '#db/engine/database.ts'
import { noteElsewhere } from '#db/hooks/notes.ts'
import type { Background } from '../http/background.ts'

/** Milliseconds between two notes about one hook, however many requests come. */
const PAUSE_MS = 10_000

/** Tells the owner of a hook that a request with its secret, or its signature, came from an address that is not listed. */
export type HookElsewhere = (hookId: string, ip: string) => void

/** No answer waits for it. */
export function createHookElsewhere(database: Database, background: Background): HookElsewhere {
  /** Milliseconds of `performance.now()`; a hook is in it once a request has shown its secret. */
  const notedAt = new Map<string, number>()
  return (hookId, ip) => {
    const now = performance.now()
    if (now - (notedAt.get(hookId) ?? -Infinity) < PAUSE_MS) return
    notedAt.set(hookId, now)
    background.run('note of a request from elsewhere', () => noteElsewhere(database.em.fork(), hookId, ip))
  }
}
