import { setTimeout } from 'node:timers/promises'

/** A pause that may be ended before its time. */
export class Pause {
  #ending = new AbortController()

  /** Ends the present pause. */
  end(): void {
    this.#ending.abort()
  }

  /** Waits so many milliseconds, or until it is ended or the signal aborts. */
  async unlessEnded(signal: AbortSignal, milliseconds: number): Promise<void> {
    this.#ending = new AbortController()
    await pauseUnless(AbortSignal.any([signal, this.#ending.signal]), milliseconds)
  }
}

/** Waits so many milliseconds, or until the signal aborts. */
export async function pauseUnless(signal: AbortSignal, milliseconds: number): Promise<void> {
  try {
    await setTimeout(milliseconds, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Does the work at once, and again so many milliseconds after each end of it, until the signal aborts. */
export async function repeat(
  signal: AbortSignal,
  milliseconds: number,
  work: () => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    await work()
    await pauseUnless(signal, milliseconds)
  }
}
