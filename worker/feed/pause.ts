import { setTimeout } from 'node:timers/promises'

/** Waits so many milliseconds, or until the signal aborts. */
export async function pauseUnless(signal: AbortSignal, milliseconds: number): Promise<void> {
  try {
    await setTimeout(milliseconds, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
