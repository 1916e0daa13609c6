import type { SignalTerms } from '#domain/signal.ts'
import type { EntryAnswer } from '#workflows/signal/contract.ts'

/** A request that waits for the outcome of an entry. */
export interface AwaitedEntry {
  /** The outcome, once it is recorded; null when the attempt to send the entry ended without one to tell. */
  answer: Promise<EntryAnswer | null>
  /**
   * To be called once Temporal has started the workflow, with its first task in this process: the attempt to send the entry begins,
   * unless the workflow has made one by then. Resolves when that attempt is over, however it ended.
   */
  begin(): Promise<void>
  /** Nothing is waited for any more. */
  over(): void
}

/**
 * Requests of this process that wait for the outcome of an entry. The attempt that sends the entry answers them as soon as
 * its acceptance is recorded, and not before: the way through Temporal would take them longer. Nothing depends on it: who is
 * not answered asks the workflow, which knows the same.
 */
export class EntryAnswers {
  readonly #waiting = new Map<string, (answer: EntryAnswer | null) => void>()
  #prepare: (terms: SignalTerms) => () => void = () => () => {}
  #begin: (terms: SignalTerms) => Promise<void> = async () => {}

  /**
   * From now on what can be done for an entry before its workflow begins is done when a request begins to wait for it.
   *
   * @param prepare returns what is to be called when the request waits no more; throws nothing
   */
  prepareBy(prepare: (terms: SignalTerms) => () => void): void {
    this.#prepare = prepare
  }

  /**
   * From now on the attempt to send an entry is begun once its workflow is started.
   *
   * @param begin resolves when the attempt is over; rejects for nothing
   */
  beginBy(begin: (terms: SignalTerms) => Promise<void>): void {
    this.#begin = begin
  }

  /** To be called before the workflow of the signal is started. */
  wait(terms: SignalTerms): AwaitedEntry {
    const { signalId } = terms
    const { promise, resolve } = Promise.withResolvers<EntryAnswer | null>()
    this.#waiting.set(signalId, resolve)
    const drop = this.#prepare(terms)
    const isWaiting = () => this.#waiting.get(signalId) === resolve
    return {
      answer: promise,
      begin: async () => {
        if (isWaiting()) await this.#begin(terms)
      },
      over: () => {
        drop()
        if (isWaiting()) this.#waiting.delete(signalId)
      },
    }
  }

  /** Whether a request of this process waits for that signal. */
  isAwaited(signalId: string): boolean {
    return this.#waiting.has(signalId)
  }

  /** Tells the request that waits here for that signal, if one does; it waits no more. */
  tell(signalId: string, answer: EntryAnswer | null): void {
    this.#waiting.get(signalId)?.(answer)
    this.#waiting.delete(signalId)
  }
}
