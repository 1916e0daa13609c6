import type { Logger } from 'pino'
import { periodically, type Part } from '#config/periodically.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { recordFailedTasks } from '#db/watch/failing-workflows.ts'

/** Milliseconds between two writings. */
const FAILURES_WRITTEN_EVERY_MS = 1_000

/** The messages of the SDK when the code of a workflow fails: by an error, or because it makes another history than the recorded one. */
const FAILED_TASK = 'Failing workflow task'

/**
 * Writes down which workflows fail on the code of this worker, as after a bad roll-out. Temporal tries them for ever and
 * tells nobody; the SDK tells it in its log alone, and of each but the first time.
 */
export class FailingWorkflows {
  readonly #unnotified = new Set<string>()

  /** Takes note of a line of the SDK's log. */
  note(message: string, meta: Readonly<Record<string, unknown>>): void {
    const { runId = meta['run_id'] } = meta
    if (message === FAILED_TASK && typeof runId === 'string') this.#unnotified.add(runId)
  }

  /** Writes what was noted into the database. */
  recorder(em: EntityManager, taskQueue: string, log: Logger): Part {
    const record = async (): Promise<void> => {
      const told = [...this.#unnotified]
      if (told.length === 0) return
      await recordFailedTasks(em, taskQueue, told)
      for (const runId of told) this.#unnotified.delete(runId)
    }
    return periodically('recording of failed workflow tasks', FAILURES_WRITTEN_EVERY_MS, record, log)
  }
}
