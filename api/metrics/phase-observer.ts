import type { Database } from '#db/engine/database.ts'
import type { Logger } from 'pino'
import { newestEvent, readPhaseNews } from '#db/watch/signal-phases.ts'
import type { Metrics } from './metrics.ts'

/** Milliseconds, after which older transactions have ended. */
const PHASES_READ_EVERY_MS = 5_000

export class PhaseObserver {
  readonly #database: Database
  readonly #logger: Logger
  readonly #metrics: Pick<Metrics, 'observePhase' | 'countRefusal'>
  /** Last observed event, and the previous reading's newest; null while another process observes. */
  #seen: { observed: string; newest: string } | null = null
  #nextAt = 0

  constructor(database: Database, metrics: Pick<Metrics, 'observePhase' | 'countRefusal'>, logger: Logger) {
    this.#logger = logger
    this.#database = database
    this.#metrics = metrics
  }

  async look(): Promise<void> {
    if (performance.now() < this.#nextAt) return
    this.#nextAt = performance.now() + PHASES_READ_EVERY_MS
    try {
      await this.#observe()
    } catch (error) {
      this.#logger.warn({ err: error }, 'the phases of signals could not be observed; trying again')
    }
  }

  async #observe(): Promise<void> {
    const em = this.#database.em.fork()
    const newest = await newestEvent(em)
    if (this.#seen !== null && this.#seen.newest !== this.#seen.observed) {
      const { phases, refusals } = await readPhaseNews(em, this.#seen.observed, this.#seen.newest)
      for (const { phase, seconds } of phases) this.#metrics.observePhase(phase, seconds)
      for (const reason of refusals) this.#metrics.countRefusal(reason)
    }
    const observed = this.#seen?.newest ?? newest
    this.#seen = { observed, newest }
  }

  rest(): void {
    this.#seen = null
  }
}
