import type { SignalTerms } from '#domain/signal.ts'
import type { EntryAnswer } from '#workflows/contract.ts'

/** What the API asks of the workflow engine. Both calls are idempotent by the signal's id. */
export interface SignalGateway {
  /**
   * Starts the signal's workflow, or finds it running, and waits until its entry is settled. Throws
   * {@link GatewayUnavailable} when that does not happen within `milliseconds`.
   */
  startAndAwaitEntry(terms: SignalTerms, milliseconds: number): Promise<EntryAnswer>
  /** Starts the signal's workflow; one that was started before, even one that has ended, is fine. */
  start(terms: SignalTerms): Promise<void>
  /** Throws when the engine cannot be reached within `milliseconds`. */
  checkReachable(milliseconds: number): Promise<void>
  /** Throws when no worker has lately asked for work. */
  checkWorkerPolling(milliseconds: number): Promise<void>
  close(): Promise<void>
}

/**
 * The engine cannot be reached or did not answer in time. Whether the workflow was started is not known;
 * starting it again is harmless.
 */
export class GatewayUnavailable extends Error {
  override readonly name = 'GatewayUnavailable'
}
