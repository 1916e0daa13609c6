export class Paced {
  readonly #work: () => Promise<void>
  readonly #pauseMs: number
  #isBusy = false
  #isWanted = false
  #isStopped = false
  #timer: NodeJS.Timeout | null = null

  /** @param work does not reject */
  constructor(work: () => Promise<void>, pauseMs: number) {
    this.#work = work
    this.#pauseMs = pauseMs
  }

  ask(): void {
    this.#isWanted = true
    if (!this.#isBusy && !this.#isStopped) void this.#begin()
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  async #begin(): Promise<void> {
    this.#isBusy = true
    this.#isWanted = false
    await this.#work()
    if (this.#isStopped) return
    this.#timer = setTimeout(() => {
      this.#isBusy = false
      if (this.#isWanted) void this.#begin()
    }, this.#pauseMs)
  }
}
