import { pauseUnless } from '#config/periodically.ts'

export class Pause {
  #ending = new AbortController()

  end(): void {
    this.#ending.abort()
  }

  async unlessEnded(signal: AbortSignal, milliseconds: number): Promise<void> {
    this.#ending = new AbortController()
    await pauseUnless(AbortSignal.any([signal, this.#ending.signal]), milliseconds)
  }
}
