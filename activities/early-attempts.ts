import type { SignalTerms } from '#domain/signal.ts'
import type { OrderAttempt, PreparedEntry } from './contract.ts'

type Attempt = Promise<OrderAttempt<PreparedEntry>>

/** Milliseconds for which an attempt is kept for its workflow; after that the workflow makes one of its own. */
const KEPT_FOR = 5_000

/**
 * Attempts to send entries that are begun as soon as Temporal has their workflows: the first task of a workflow takes a while to
 * come as far, and what it does until then changes nothing about the attempt. The workflow then gets the attempt that was
 * begun instead of one of its own. A workflow that never asks for it, because its task went to another process, makes another
 * attempt, as after a crash: the decision is kept in the ledger, and the client order id is the same.
 */
export class EarlyAttempts {
  readonly #begun = new Map<string, Attempt>()
  /** Signals of which the workflow was faster. */
  readonly #late = new Set<string>()
  readonly #attempt: (terms: SignalTerms) => Attempt

  constructor(attempt: (terms: SignalTerms) => Attempt) {
    this.#attempt = attempt
  }

  /**
   * To be called once the workflow of the signal is started in this process; does nothing when it is at it by now. Resolves when
   * the attempt is over; it is the workflow that hears of a failure.
   */
  async begin(terms: SignalTerms): Promise<void> {
    const { signalId } = terms
    if (this.#late.has(signalId)) return
    const begun = this.#attempt(terms)
    this.#begun.set(signalId, begun)
    setTimeout(() => this.#begun.delete(signalId), KEPT_FOR).unref()
    await begun.catch(() => {})
  }

  /** The attempt that the workflow asks for: the one that was begun, which it gets once, or else a new one. */
  async attempt(terms: SignalTerms): Attempt {
    const { signalId } = terms
    const begun = this.#begun.get(signalId)
    this.#begun.delete(signalId)
    if (begun) return begun
    this.#late.add(signalId)
    try {
      return await this.#attempt(terms)
    } finally {
      this.#late.delete(signalId)
    }
  }
}
