const MAX_ANSWERS_KEPT = 2_000

interface Kept {
  until: number
  mark: string
  answer: Promise<unknown>
}

/** Who asks while an answer is on its way waits for it. Errors are not kept. */
export class KeptAnswers {
  readonly #kept = new Map<string, Kept>()
  readonly #life: number
  readonly #most: number
  readonly #now: () => number

  /** `life`: milliseconds. `most`: answers that are kept, the oldest of which go first. */
  constructor({
    life,
    most = MAX_ANSWERS_KEPT,
    now = Date.now,
  }: {
    life: number
    most?: number
    now?: () => number
  }) {
    this.#life = life
    this.#most = most
    this.#now = now
  }

  find<T>(key: string, mark = ''): Promise<T> | undefined {
    const kept = this.#kept.get(key)
    return kept !== undefined && kept.mark === mark && this.#now() < kept.until
      ? (kept.answer as Promise<T>)
      : undefined
  }

  /** `mark`: the state that the answer depends on; an answer of another state is not good. */
  ask<T>(key: string, ask: () => Promise<T>, mark = ''): Promise<T> {
    const kept = this.find<T>(key, mark)
    if (kept) return kept
    const answer = ask()
    this.keep(key, answer, mark)
    return answer
  }

  keep(key: string, answer: Promise<unknown>, mark = ''): void {
    const now = this.#now()
    const kept = { until: now + this.#life, mark, answer }
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    // The next caller asks anew; the error itself is for those who wait for this answer.
    answer.catch(() => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key)
    })
    for (const [oldest, { until }] of this.#kept) {
      if (this.#kept.size <= this.#most && until > now) break
      this.#kept.delete(oldest)
    }
  }
}
