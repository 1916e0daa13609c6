import { BrokerCredentialsError } from '#brokers/port.ts'
import { endWhenQuiet, raiseAlert } from '#db/risk/alerts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { streamRefused } from '#domain/broker-news.ts'

/** Alerts when the broker answers requests but refuses the order stream: orders still go out, and fills are
 * found by asking. */
export class StreamAlarm {
  readonly #em: EntityManager
  readonly #account: { accountId: string; signalId: null }
  readonly #options: { pollEvery: number; quietMs: number | undefined }
  /** Null without a refusal. */
  #refusal: string | null = null
  #isReady = false
  /** Another worker may have raised it before. */
  #mayBeOpen = true

  /** @param options milliseconds between comparisons, and of a stream before the alert ends */
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

  /** A request with the same keys was answered. */
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
