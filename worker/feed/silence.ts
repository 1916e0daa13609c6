import type { Logger } from 'pino'
import { recordSilence } from '#db/brokers/connection-health.ts'
import type { EntityManager } from '#db/engine/database.ts'

/** Milliseconds without a word of the broker after which its owner sees that it does not answer. */
const SILENT_AFTER_MS = 4_000

/** Notes that a broker whose stream is connected says nothing, as one that is frozen, and when it is heard of again. */
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

  /** @param silentFor milliseconds since the broker was last heard of */
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
