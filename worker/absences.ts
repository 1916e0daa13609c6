/**
 * For how long each build has had no worker. Only time in which somebody looked counts: after an outage of the ledger, or a
 * sleep of the machine, no build has been heard of for a while, and none is gone for that.
 */
export class Absences {
  readonly #longestPause: number
  readonly #lastSeen = new Map<string, number>()
  /** Milliseconds that were looked at. */
  #watched = 0
  #lookedAt = performance.now()

  /** @param longestPause milliseconds between two looks at most; the rest of a longer pause does not count */
  constructor(longestPause: number) {
    this.#longestPause = longestPause
  }

  /** A look found that workers of these builds live. */
  found(builds: Iterable<string>): void {
    const now = performance.now()
    this.#watched += Math.min(now - this.#lookedAt, this.#longestPause)
    this.#lookedAt = now
    for (const build of builds) this.#lastSeen.set(build, this.#watched)
  }

  /** Milliseconds since a worker of the build was found, or since the first look where none ever was. */
  of(build: string): number {
    return this.#watched - (this.#lastSeen.get(build) ?? 0)
  }
}
