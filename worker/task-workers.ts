import { Worker, type WorkerOptions } from '@temporalio/worker'
import { scheduledQueueOf } from '#workflows/signal/queue-contract.ts'

/** Workflow tasks at once: a task is held as long as the attempt to send an order waits for its fill. */
const TASKS_AT_ONCE = 100
/** Entries of scheduled signals at once. A thousand may be due in the same second, and share the processors with exits. */
const SCHEDULED_AT_ONCE = 12
/** For a worker that died a moment ago; one that has not asked for ten seconds is not waited for. A burst takes longer than the usual two. */
const SCHEDULED_WAIT_IN_PRIVATE = '10 seconds'
/**
 * Workflows that are kept in memory, by queue, at up to 0.6 MB each (measured with 500 exit plans). One that is not is done
 * again from its history at its next task: those that wait for hours need not be kept, those under way have to be.
 */
const CACHED = { ordinary: 200, scheduled: 100 }

/** The workers that take the tasks of both queues in one process. */
export interface TaskWorkers {
  /** Whether tasks of both are asked for now. */
  readonly isPolling: boolean
  /** Resolves when both have stopped in good order; rejects when one of them could not go on, after the other has stopped. */
  run(): Promise<void>
  /** Takes no more tasks. */
  stop(): void
}

/**
 * The workers of the ordinary task queue and of that of scheduled signals. They share connection, activities and process;
 * each has a workflow thread and slots of its own, so that what is in the one queue waits for nothing in the other.
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

/** A worker lets go of its connection only when it has run. */
async function dispose(worker: Worker): Promise<void> {
  const ended = worker.run()
  worker.shutdown()
  await ended
}
