import { takeOverConsole } from '#config/console-lines.ts'
import { readSettings, SettingsError, workerSettings } from '#config/env.ts'
import { openKeyRing } from '#config/key-ring.ts'
import { BUILD_ID } from '#config/build-id.ts'
import { createLogger } from '#config/logger.ts'
import { WrongKeys } from '#db/broker/key-checks.ts'
import { UnfitDatabase } from '#db/engine/database-check.ts'
import { startTracing } from '#tracing/start.ts'
import { FailingWorkflows } from './failing-workflows.ts'
import { serveHealth } from './health-server.ts'
import { LoopGuard } from './loop-guard.ts'
import { installRuntime } from './runtime.ts'
import { startWorker, type RunningWorker } from './worker.ts'

async function main(): Promise<void> {
  const settings = readSettings(workerSettings)
  const { METRICS_HOST: host, METRICS_PORT: port, WORKER_HEALTH_PORT } = settings
  const log = createLogger('worker', settings)
  takeOverConsole((level, text) => log[level](text))
  const tracing = await startTracing('durable-trader-worker', BUILD_ID, settings, log)
  const failing = new FailingWorkflows()
  const guard = new LoopGuard(log)
  if (settings.WORKFLOW_WATCHDOG === 'thread') guard.start()
  const door = await installRuntime({
    metrics: { host, port },
    log,
    failing,
    shutdownSignals: ['SIGTERM', 'SIGINT'],
  })
  let worker: RunningWorker | null = null
  const health = await serveHealth({ host, port: WORKER_HEALTH_PORT }, () => worker?.parts ?? null)
  const keyRing = await openKeyRing(settings, (error) =>
    log.error({ err: error }, 'the changed key file cannot be used; the keys known so far stay in use'),
  )
  let hasEnded = false
  while (!hasEnded) {
    const loops = guard.ended
    worker = await startWorker({ settings, keyRing, failing, log })
    try {
      await worker.ended
      hasEnded = true
    } catch (error) {
      // Only this process knows that it needs the SDK's watchdog from now on.
      if (guard.ended === loops) {
        log.fatal({ err: error }, 'the worker cannot go on')
        process.exit(1)
      }
      log.error({ err: error }, 'the worker lost a workflow thread; it is started again in this process')
      worker = null
    }
  }
  await health.stop()
  await door.stop()
  await tracing.stop()
  log.info('worker stopped')
}

try {
  await main()
} catch (error) {
  const isExpected =
    error instanceof SettingsError || error instanceof UnfitDatabase || error instanceof WrongKeys
  process.stderr.write(`${isExpected ? error.message : (error as Error).stack}\n`)
  process.exit(1)
}
