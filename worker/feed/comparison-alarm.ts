import type { Logger } from 'pino'
import { BrokerCredentialsError } from '#brokers/port.ts'
import { endWhenQuiet, raiseAlert } from '#db/risk/alerts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { comparisonFailing } from '#domain/alert.ts'

const TROUBLE_PATIENCE_MS = 60_000

/** Alerts when orders cannot be compared for long. */
export class ComparisonAlarm {
  readonly #em: EntityManager
  readonly #account: { accountId: string; signalId: null }
  readonly #log: Logger
  readonly #quietMs: number | undefined
  #since: number | null = null
  /** Null while unknown: another worker may have raised it before. */
  #isRaised: boolean | null = null

  constructor(em: EntityManager, accountId: string, log: Logger, quietMs?: number) {
    this.#em = em
    this.#account = { accountId, signalId: null }
    this.#log = log
    this.#quietMs = quietMs
  }

  /** Rejected keys have an alert of their own. `trouble`: an error or words; null for none. `now`:
   * milliseconds since the epoch. */
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
