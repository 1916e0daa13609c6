import { accessToken, session } from './session.ts'

/** Milliseconds without an answer until the service counts as unreachable; the request continues. */
const RESUME_PATIENCE_MS = 5_000
const RESUME_PAUSE_MS = 1_000
const MAX_RESUME_PAUSE_MS = 15_000
let wake: (() => void) | undefined

/** Asks at once instead of after the pause. */
export const tryNow = (): void => wake?.()

globalThis.addEventListener('online', tryNow)
document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && tryNow())

/**
 * Resumes the earlier session. Resolves after the first attempt; while the service is unreachable, others follow until
 * one is answered.
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
