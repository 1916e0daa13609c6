/** During a recess nobody asks the service for anything: what it was told and then lost would be nobody's fault. */
export class Recess {
  #over: PromiseWithResolvers<void> | null = null
  readonly #underWay = new Set<Promise<unknown>>()

  /** Makes a request, after the recess if there is one. */
  async outside<T>(request: () => Promise<T>): Promise<T> {
    while (this.#over) await this.#over.promise
    const answer = request()
    this.#underWay.add(answer)
    try {
      return await answer
    } finally {
      this.#underWay.delete(answer)
    }
  }

  /** Resolves when every request that was under way is answered. */
  async begin(): Promise<void> {
    this.#over ??= Promise.withResolvers()
    await Promise.allSettled(this.#underWay)
  }

  end(): void {
    this.#over?.resolve()
    this.#over = null
  }
}
