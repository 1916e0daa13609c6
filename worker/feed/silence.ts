import type { Logger } from 'pino'
import { recordSilence } from '#db/brokers/connection-health.ts'
import type { EntityManager } from '#db/engine/database.ts'

const SILENT_AFTER_MS = 4_000

/** Records when a connected broker falls silent, as a frozen one does, and when it speaks again. */
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

  /** @param silentFor milliseconds */
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
