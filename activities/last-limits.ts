import type { RiskLimits } from '#domain/risk-limits.ts'

/** The limits that accounts had when an entry of theirs was judged last, by this process. */
export class LastLimits {
  readonly #known = new Map<string, RiskLimits>()

  /** Null when none of its entries was judged yet, or the last one was not usual. */
  lastOf(accountId: string): RiskLimits | null {
    return this.#known.get(accountId) ?? null
  }

  note(accountId: string, limits: RiskLimits): void {
    this.#known.set(accountId, limits)
  }

  forget(accountId: string): void {
    this.#known.delete(accountId)
  }
}
