import type { SignalTerms } from '#domain/signal.ts'
import type { OrderAttempt, PreparedEntry } from './contract.ts'

type Attempt = Promise<OrderAttempt<PreparedEntry>>

/** Whether Temporal has the workflow of a signal, and its first task is in this process; rejects for nothing. */
export type Started = Promise<boolean>

/** Milliseconds for which an attempt is kept for its workflow; after that the workflow makes one of its own. */
const KEPT_FOR = 5_000

/**
 * Attempts to send entries that begin while Temporal starts their workflows: the start, and the first task until it comes as far,
 * take longer than it takes to decide an entry. Nothing is sent before the workflow is there, which then gets the attempt that was
 * begun instead of one of its own. A workflow that never asks for it, because its task went to another process, makes
 * another attempt, as after a crash: the decision is kept in the ledger, and the client order id is the same.
 */
export class EarlyAttempts {
  readonly #begun = new Map<string, Attempt>()
  readonly #attempt: (terms: SignalTerms, started?: Started) => Attempt

  /** @param attempt sends nothing until `started` is true, where that is given */
  constructor(attempt: (terms: SignalTerms, started?: Started) => Attempt) {
    this.#attempt = attempt
  }

  /**
   * To be called when Temporal was asked to start the workflow of the signal. Resolves when the attempt is over; it is the
   * workflow that hears of a failure.
   */
  async begin(terms: SignalTerms, started: Started): Promise<void> {
    const { signalId } = terms
    const begun = this.#attempt(terms, started)
    this.#begun.set(signalId, begun)
    setTimeout(() => this.#begun.delete(signalId), KEPT_FOR).unref()
    await begun.catch(() => {})
  }

  /** The attempt that the workflow asks for: the one that was begun, which it gets once, or else a new one. */
  attempt(terms: SignalTerms): Attempt {
    const begun = this.#begun.get(terms.signalId)
    this.#begun.delete(terms.signalId)
    return begun ?? this.#attempt(terms)
  }
}
