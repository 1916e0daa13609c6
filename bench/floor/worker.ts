import {
  DefaultLogger,
  makeTelemetryFilterString,
  NativeConnection,
  Runtime,
  Worker,
} from '@temporalio/worker'

export const answerAtOnce = async (): Promise<string> => 'done'

/** The floor's worker: a separate process, configured by its environment. */
async function main(): Promise<void> {
  const { TEMPORAL_ADDRESS, TASK_QUEUE, WORKFLOW_BUNDLE } = process.env as Record<string, string>
  Runtime.install({
    logger: new DefaultLogger('WARN'),
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) } },
    shutdownSignals: ['SIGTERM'],
  })
  const connection = await NativeConnection.connect({ address: TEMPORAL_ADDRESS! })
  const worker = await Worker.create({
    connection,
    taskQueue: TASK_QUEUE!,
    workflowBundle: { codePath: WORKFLOW_BUNDLE! },
    activities: { answerAtOnce },
  })
  const orphaned = () => worker.shutdown()
  process.once('disconnect', orphaned)
  process.send!('polls')
  await worker.run()
  // Only the connection to the parent still keeps the process alive.
  process.off('disconnect', orphaned)
  await connection.close()
}

if (import.meta.main) await main()
