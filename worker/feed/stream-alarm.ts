import { BrokerCredentialsError } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { streamRefused } from '#domain/alert/broker-alerts.ts'
import type { Logger } from 'pino'
import { recordSilence } from '#db/broker/connection-health.ts'
import { AccountAlarm } from './account-alarm.ts'

/** Alerts to a broken order stream, while orders are still sent and fills are found by requests. */
export class StreamAlarm {
  readonly #alarm: AccountAlarm
  readonly #pollEvery: number
  #refusal: string | null = null
  #isReady = false

  constructor(
    em: EntityManager,
    accountId: string,
    { pollEvery, quietMs }: { pollEvery: number; quietMs: number | undefined },
  ) {
    this.#alarm = new AccountAlarm(em, accountId, 'stream_refused', quietMs)
    this.#pollEvery = pollEvery
  }

  ready(): void {
    this.#isReady = true
    this.#refusal = null
  }

  broke(error: unknown): void {
    this.#isReady = false
    this.#refusal = error instanceof BrokerCredentialsError ? error.message : null
  }

  async answered(): Promise<void> {
    if (this.#refusal !== null) await this.#alarm.raise(streamRefused(this.#refusal, this.#pollEvery))
    else if (this.#isReady) await this.#alarm.end()
  }
}

const SILENT_AFTER_MS = 4_000

/** Records when a connected broker becomes silent, and when it answers again. */
export class Silence {
  readonly #em: EntityManager
  readonly #brokerId: string
  readonly #log: Logger
  #isSilent = false
  #writing = false

  constructor(em: EntityManager, brokerId: string, log: Logger) {
    this.#em = em
    this.#brokerId = brokerId
    this.#log = log
  }

  async pulse(silentFor: number): Promise<void> {
    const isSilent = silentFor >= SILENT_AFTER_MS
    if (isSilent === this.#isSilent || this.#writing) return
    this.#writing = true
    try {
      await recordSilence(this.#em, this.#brokerId, isSilent ? silentFor : null)
      this.#isSilent = isSilent
    } catch (error) {
      this.#log.warn({ err: error }, 'that the broker is silent could not be recorded; trying again')
    } finally {
      this.#writing = false
    }
  }
}
