/** A notification without a waiter wakes the next one at once. */
export class Notifier {
  #isRung = false
  #wake: (() => void) | null = null

  notify(): void {
    this.#isRung = true
    this.#wake?.()
  }

  /** Resolves after `milliseconds` in any case. */
  async notified(milliseconds: number): Promise<void> {
    if (!this.#isRung)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    this.#wake = null
    this.#isRung = false
  }
}
