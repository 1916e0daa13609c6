import { ATTEMPT_KEPT_FOR } from '#domain/entry-times.ts'
import type { SignalTerms } from '#domain/signal.ts'
import type { OrderAttempt, PreparedEntry } from './contract.ts'

type Attempt = Promise<OrderAttempt<PreparedEntry>>

/**
 * Attempts to send entries that begin with the answer to the start of their workflows: until the first task comes as far takes
 * longer than the attempt. The workflow gets the attempt that was begun instead of one of its own. One that never asks
 * for it, because its task went to another process, makes another attempt, as after a crash: the decision is kept in the
 * ledger, and the client order id is the same.
 */
export class EarlyAttempts {
  /** By signal, the attempt that no workflow has asked for yet; null while its workflow makes one of its own. */
  readonly #begun = new Map<string, Attempt | null>()
  readonly #attempt: (terms: SignalTerms) => Attempt

  constructor(attempt: (terms: SignalTerms) => Attempt) {
    this.#attempt = attempt
  }

  /**
   * To be called once Temporal has started the workflow of the signal, with its first task in this process. Resolves when the
   * attempt is over; it is the workflow that hears of a failure.
   */
  async begin(terms: SignalTerms): Promise<void> {
    const { signalId } = terms
    if (this.#begun.has(signalId)) return
    const attempt = this.#attempt(terms)
    this.#begun.set(signalId, attempt)
    setTimeout(() => this.#drop(signalId, attempt), ATTEMPT_KEPT_FOR).unref()
    await attempt.catch(() => {})
  }

  /** The attempt that the workflow asks for: the one that was begun, which it gets once, or else a new one. */
  async attempt(terms: SignalTerms): Attempt {
    const { signalId } = terms
    const begun = this.#begun.get(signalId)
    if (begun) {
      this.#begun.delete(signalId)
      return begun
    }
    this.#begun.set(signalId, null)
    try {
      return await this.#attempt(terms)
    } finally {
      this.#drop(signalId, null)
    }
  }

  #drop(signalId: string, attempt: Attempt | null): void {
    if (this.#begun.get(signalId) === attempt) this.#begun.delete(signalId)
  }
}
