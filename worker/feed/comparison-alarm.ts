import type { Logger } from 'pino'
import { BrokerCredentialsError } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { comparisonFailing } from '#domain/alert/alert.ts'
import { AccountAlarm } from './account-alarm.ts'

const TROUBLE_PATIENCE_MS = 60_000

export class ComparisonAlarm {
  readonly #alarm: AccountAlarm
  readonly #log: Logger
  #since: number | null = null

  constructor(em: EntityManager, accountId: string, log: Logger, quietMs?: number) {
    this.#alarm = new AccountAlarm(em, accountId, 'comparison_failing', quietMs)
    this.#log = log
  }

  /** Rejected keys have their own alert. */
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
    await this.#alarm.raise(comparisonFailing(new Date(this.#since).toISOString(), detail))
  }

  async #succeeded(): Promise<void> {
    this.#since = null
    await this.#alarm.end()
  }
}
