import { setTimeout } from 'node:timers/promises'
import { readSettings, workerSettings } from '#config/env.ts'
import type { DatedKeyRing } from '#config/key-ring.ts'
import type { Logger } from '#config/logger.ts'
import { pauseUnless } from '#config/periodically.ts'
import { FailingWorkflows } from './failing-workflows.ts'
import { LoopGuard } from './loop-guard.ts'
import { installRuntime } from './runtime.ts'
import { startWorker, type RunningWorker } from './worker.ts'

/** Milliseconds before a failed worker is started again. */
const START_AGAIN_AFTER = 2_000
/** Milliseconds that a stop waits for a worker that has not started yet. */
const STARTING_IS_LEFT_AFTER = 1_000

export interface InProcessWorker {
  /** Takes no more tasks, and resolves once present ones are done. */
  stop(): Promise<void>
}

/**
 * Keeps a worker in the process of the API. It restarts after a failure; other workers take over its work. Rejects with
 * {@link SettingsError} for unusable settings.
 */
export async function keepWorkerInProcess({
  keyRing,
  metrics: metricsAddress,
  log,
}: {
  keyRing: DatedKeyRing
  metrics: { host: string; port: number }
  log: Logger
}): Promise<InProcessWorker> {
  const settings = readSettings(workerSettings)
  const failing = new FailingWorkflows()
  if (settings.WORKFLOW_WATCHDOG === 'thread') new LoopGuard(log).start()
  // The process stops its parts in its own order.
  const door = await installRuntime({ metrics: metricsAddress, log, failing, shutdownSignals: [] })
  const stopping = new AbortController()
  let worker: RunningWorker | null = null

  async function keep(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        worker = await startWorker({ settings, keyRing, failing, log })
        if (stopping.signal.aborted) worker.stop()
        await worker.ended
      } catch (error) {
        log.error({ err: error }, 'the worker in this process cannot go on; it is started again')
      }
      worker = null
      await pauseUnless(stopping.signal, START_AGAIN_AFTER)
    }
  }
  const kept = keep()
  return {
    async stop() {
      stopping.abort()
      worker?.stop()
      // A starting part has done nothing yet, and may wait for Temporal for ever.
      await (worker ? kept : Promise.race([kept, setTimeout(STARTING_IS_LEFT_AFTER)]))
      await door.stop()
    },
  }
}
