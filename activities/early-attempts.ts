import type { SignalTerms } from '#domain/signal.ts'
import type { OrderAttempt, PreparedEntry } from './contract.ts'

type Attempt = Promise<OrderAttempt<PreparedEntry>>

/** The start of a workflow for which an attempt is begun early. */
export interface WorkflowStart {
  /** Whether Temporal has started it, with its first task in this process; rejects for nothing. */
  started: Promise<boolean>
  /** Temporal answers these days: the entry is decided meanwhile. Otherwise it waits for the start. */
  isExpected: boolean
}

/** What an attempt that was begun early waits for before it sends anything. */
export interface Early {
  /** Whether there is a workflow that takes the attempt over; false when none asked for it in time. */
  isThere: Promise<boolean>
  decidesMeanwhile: boolean
}

/** Milliseconds for which an attempt is kept for its workflow after the start; then the workflow makes one of its own. */
const KEPT_FOR = 5_000

/**
 * Attempts to send entries that begin while Temporal starts their workflows: the start, and the first task until it comes as far,
 * take longer than it takes to decide an entry. Nothing is sent before the workflow is there, which then gets the attempt that was
 * begun instead of one of its own. A workflow that never asks for it, because its task went to another process, makes
 * another attempt, as after a crash: the decision is kept in the ledger, and the client order id is the same.
 */
export class EarlyAttempts {
  readonly #begun = new Map<string, { attempt: Attempt; ask(): void }>()
  readonly #attempt: (terms: SignalTerms, early?: Early) => Attempt

  /** @param attempt sends nothing until its workflow is there, where it is begun early */
  constructor(attempt: (terms: SignalTerms, early?: Early) => Attempt) {
    this.#attempt = attempt
  }

  /**
   * To be called when Temporal was asked to start the workflow of the signal. Resolves when the attempt is over; it is the
   * workflow that hears of a failure.
   */
  async begin(terms: SignalTerms, { started, isExpected }: WorkflowStart): Promise<void> {
    const { signalId } = terms
    // A workflow that asks is there, whatever became of the call that was to start it.
    const { promise: isThere, resolve: tell } = Promise.withResolvers<boolean>()
    const attempt = this.#attempt(terms, { isThere, decidesMeanwhile: isExpected })
    this.#begun.set(signalId, { attempt, ask: () => tell(true) })
    const over = attempt.catch(() => {})
    if (await started) tell(true)
    setTimeout(() => {
      this.#begun.delete(signalId)
      tell(false)
    }, KEPT_FOR).unref()
    await over
  }

  /** The attempt that the workflow asks for: the one that was begun, which it gets once, or else a new one. */
  attempt(terms: SignalTerms): Attempt {
    const begun = this.#begun.get(terms.signalId)
    this.#begun.delete(terms.signalId)
    begun?.ask()
    return begun?.attempt ?? this.#attempt(terms)
  }
}
