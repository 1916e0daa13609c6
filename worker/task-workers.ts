import { Worker, type WorkerOptions } from '@temporalio/worker'
import { scheduledQueueOf } from '#workflows/signal/queue-contract.ts'

/** A task is held while the attempt to send an order waits for its fill. */
const TASKS_AT_ONCE = 100
/** A thousand scheduled signals may be due at once, and share the processors with exits. */
const SCHEDULED_AT_ONCE = 12
/** A crashed worker is not waited for after ten seconds. */
const SCHEDULED_WAIT_IN_PRIVATE = '10 seconds'
/** Workflows kept in memory, at up to 0.6 MB each (measured with 500 exits). Others are replayed at their next task. */
const CACHED = { ordinary: 200, scheduled: 100 }

export interface TaskWorkers {
  readonly isPolling: boolean
  /** Resolves when both have stopped in good order; rejects when one could not continue. */
  run(): Promise<void>
  stop(): void
}

/**
 * Creates the workers of the ordinary queue and the scheduled queue. Each has its own workflow thread and slots, so
 * that neither waits for the other.
 */
export async function createTaskWorkers(
  options: WorkerOptions & { taskQueue: string },
): Promise<TaskWorkers> {
  const ordinary = await Worker.create({
    ...options,
    maxCachedWorkflows: CACHED.ordinary,
    maxConcurrentWorkflowTaskExecutions: TASKS_AT_ONCE,
  })
  const scheduled = await createScheduled(options).catch(async (error: unknown) => {
    await dispose(ordinary)
    throw error
  })
  const workers = [ordinary, scheduled]
  const stop = (): void => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
  }
  return {
    get isPolling() {
      return workers.every((worker) => worker.getState() === 'RUNNING')
    },
    async run() {
      const runs = workers.map((worker) => worker.run().finally(stop))
      await Promise.allSettled(runs)
      await Promise.all(runs)
    },
    stop,
  }
}

const createScheduled = (options: WorkerOptions & { taskQueue: string }): Promise<Worker> =>
  Worker.create({
    ...options,
    taskQueue: scheduledQueueOf(options.taskQueue),
    maxCachedWorkflows: CACHED.scheduled,
    stickyQueueScheduleToStartTimeout: SCHEDULED_WAIT_IN_PRIVATE,
    maxConcurrentWorkflowTaskExecutions: SCHEDULED_AT_ONCE,
  })

/** A worker releases its connection only after a run. */
async function dispose(worker: Worker): Promise<void> {
  const ended = worker.run()
  worker.shutdown()
  await ended
}
