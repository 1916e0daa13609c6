import { setTimeout } from 'node:timers/promises'

const FAILED_PRECONDITION = 9
/** Milliseconds between two attempts. */
const ATTEMPT_PAUSE_MS = 250

/**
 * Makes a call again until what it needs is there: Temporal gives a build no tasks before its workers have asked for those of
 * every task queue, which takes them a moment after their start. Throws what the last attempt threw, and every other
 * error at once.
 *
 * @param milliseconds for which it waits at most
 */
export async function oncePossible<T>(milliseconds: number, call: () => Promise<T>): Promise<T> {
  const end = performance.now() + milliseconds
  for (;;) {
    try {
      return await call()
    } catch (error) {
      const isTooEarly = (error as { code?: number }).code === FAILED_PRECONDITION
      if (!isTooEarly || performance.now() + ATTEMPT_PAUSE_MS >= end) throw error
    }
    await setTimeout(ATTEMPT_PAUSE_MS)
  }
}
