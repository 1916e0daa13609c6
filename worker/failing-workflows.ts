import type { Logger } from 'pino'
import { periodically, type Part } from '#config/periodically.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { recordFailedTasks } from '#db/watch/failing-workflows.ts'

const FAILURES_WRITTEN_EVERY_MS = 1_000

/** The SDK logs this when workflow code fails. */
const FAILED_TASK = 'Failing workflow task'

/** Records which workflows fail on this worker's code: Temporal retries them for ever, and the SDK only logs them. */
export class FailingWorkflows {
  readonly #unnotified = new Set<string>()

  note(message: string, meta: Readonly<Record<string, unknown>>): void {
    const { runId = meta['run_id'] } = meta
    if (message === FAILED_TASK && typeof runId === 'string') this.#unnotified.add(runId)
  }

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
