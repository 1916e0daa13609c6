import type { Logger } from 'pino'
import { BrokerCredentialsError } from '#brokers/port.ts'
import { endWhenQuiet, raiseAlert } from '#db/risk/alerts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { comparisonFailing } from '#domain/alert.ts'

/** Trouble that has lasted so many milliseconds is told. */
const TROUBLE_PATIENCE_MS = 60_000

/** Alerts the owner of an account whose orders cannot be compared with its broker for long. */
export class ComparisonAlarm {
  readonly #em: EntityManager
  readonly #account: { accountId: string; signalId: null }
  readonly #log: Logger
  readonly #quietMs: number | undefined
  #since: number | null = null
  /** Null while that is not known: another worker may have raised it before this one started. */
  #isRaised: boolean | null = null

  /** @param quietMs milliseconds for which comparisons have to succeed before the alert ends */
  constructor(em: EntityManager, accountId: string, log: Logger, quietMs?: number) {
    this.#em = em
    this.#account = { accountId, signalId: null }
    this.#log = log
    this.#quietMs = quietMs
  }

  /**
   * Takes note of how a comparison went. Refused keys have an alert of their own.
   *
   * @param trouble an error, or in words what could not be compared; null when all could
   * @param now milliseconds since the epoch
   */
  async note(trouble: unknown, now: number): Promise<void> {
    try {
      if (trouble === null) await this.#succeeded()
      else if (!(trouble instanceof BrokerCredentialsError)) await this.#failed(trouble, now)
    } catch (error) {
      this.#log.warn({ err: error }, 'how the comparison went could not be recorded')
    }
  }

  async #failed(trouble: unknown, now: number): Promise<void> {
    this.#since ??= now
    if (now - this.#since < TROUBLE_PATIENCE_MS) return
    const detail = trouble instanceof Error ? trouble.message : String(trouble)
    await raiseAlert(this.#em, this.#account, comparisonFailing(new Date(this.#since).toISOString(), detail))
    this.#isRaised = true
  }

  async #succeeded(): Promise<void> {
    this.#since = null
    if (this.#isRaised === false) return
    const how = await endWhenQuiet(this.#em, this.#account, 'comparison_failing', this.#quietMs)
    this.#isRaised = how !== 'none' && how !== 'over'
  }
}
