import { BrokerCredentialsError } from '#brokers/port.ts'
import { endWhenQuiet, raiseAlert } from '#db/risk/alerts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { streamRefused } from '#domain/broker-news.ts'

/**
 * Tells the owner of an account whose broker answers requests and refuses its order stream. The stream says nothing of the
 * connection: while requests are answered, orders go out, and fills are found by asking.
 */
export class StreamAlarm {
  readonly #em: EntityManager
  readonly #account: { accountId: string; signalId: null }
  readonly #options: { pollEvery: number; quietMs: number | undefined }
  /** The broker's words; null while the stream is there, or its trouble is of another kind. */
  #refusal: string | null = null
  #isReady = false
  /** Not known at first: another worker may have raised it before this one started. */
  #mayBeOpen = true

  /**
   * @param options pollEvery: milliseconds between two comparisons with the broker. quietMs: for so long the stream has to be there
   *   before the alert ends
   */
  constructor(
    em: EntityManager,
    accountId: string,
    options: { pollEvery: number; quietMs: number | undefined },
  ) {
    this.#em = em
    this.#account = { accountId, signalId: null }
    this.#options = options
  }

  ready(): void {
    this.#isReady = true
    this.#refusal = null
  }

  broke(error: unknown): void {
    this.#isReady = false
    this.#refusal = error instanceof BrokerCredentialsError ? error.message : null
  }

  /** The broker has answered a request with the same keys. */
  async answered(): Promise<void> {
    if (this.#refusal !== null) {
      await raiseAlert(this.#em, this.#account, streamRefused(this.#refusal, this.#options.pollEvery))
      this.#mayBeOpen = true
    } else if (this.#isReady && this.#mayBeOpen) {
      const how = await endWhenQuiet(this.#em, this.#account, 'stream_refused', this.#options.quietMs)
      this.#mayBeOpen = how !== 'none' && how !== 'over'
    }
  }
}
