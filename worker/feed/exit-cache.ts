import { accountsWithExits } from '#db/exit/protections.ts'
import type { EntityManager } from '#db/engine/database.ts'

const GOOD_FOR_MS = 1_000

export class ExitCache {
  readonly #em: EntityManager
  #asked: Promise<Set<string>> | null = null
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(em: EntityManager) {
    this.#em = em
  }

  async has(accountId: string): Promise<boolean> {
    const now = performance.now()
    if (this.#asked === null || now - this.#askedAt >= GOOD_FOR_MS) {
      this.#askedAt = now
      this.#asked = accountsWithExits(this.#em.fork())
      this.#asked.catch(() => (this.#askedAt = Number.NEGATIVE_INFINITY))
    }
    return (await this.#asked).has(accountId)
  }
}
