import { pauseUnless } from '#config/periodically.ts'

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
