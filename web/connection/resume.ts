import { accessToken, session } from './session.ts'

/** A service that has not answered for so long counts as away, although the request is still under way. */
const RESUME_PATIENCE_MS = 5_000
const RESUME_PAUSE_MS = 1_000
const MAX_RESUME_PAUSE_MS = 15_000
let wake: (() => void) | undefined

/** Asks at once, instead of after the pause. */
export const tryNow = (): void => wake?.()

globalThis.addEventListener('online', tryNow)
document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && tryNow())

/**
 * Takes up the session of before. Resolves after the first attempt; while the service cannot be reached, others follow by
 * themselves until one is answered.
 */
export async function resumeSession(pause = RESUME_PAUSE_MS): Promise<void> {
  const patience = setTimeout(giveUpForNow, RESUME_PATIENCE_MS)
  try {
    await accessToken()
  } catch {
    giveUpForNow()
    const timer = setTimeout(tryNow, pause)
    wake = () => {
      clearTimeout(timer)
      wake = undefined
      if (session.get().is === 'unreachable') void resumeSession(Math.min(pause * 2, MAX_RESUME_PAUSE_MS))
    }
  } finally {
    clearTimeout(patience)
  }
}

function giveUpForNow(): void {
  if (session.get().is === 'starting') session.set({ is: 'unreachable' })
}
