import { explainFailure } from './diagnosis.ts'
import { makeDataFolder, type DataFolder } from './data-folder.ts'
import { startGuardian } from '../processes/managed-process.ts'
import { AlreadyRunningError, RunRecord } from '../processes/run-record.ts'
import { StartupError } from '../processes/startup-error.ts'
import { Supervisor } from '../processes/supervisor.ts'

/**
 * Claims the data folder, starts the parts on it, prints what `start` answers, and keeps them until it is asked to stop. A
 * start that fails stops what it has started, says why, and leaves status 1.
 */
export async function runInForeground(
  folder: DataFolder,
  start: (run: { supervisor: Supervisor; record: RunRecord }) => Promise<string>,
): Promise<void> {
  // Data and logs are for their owner only.
  process.umask(0o077)
  makeDataFolder(folder)
  const record = await claim(folder)
  startGuardian(record)
  const supervisor = new Supervisor({ record, announce: printWithTime })
  const stopping = stopOnRequest(supervisor, record)
  try {
    const summary = await start({ supervisor, record })
    if (!stopping.isStopping()) console.log(summary)
  } catch (error) {
    // Work that fails because it was stopped is no failure.
    if (stopping.isStopping()) return
    process.exitCode = 1
    await stopping.stop()
    console.error(`\n${explainFailure(error)}`)
  }
}

async function claim(folder: DataFolder): Promise<RunRecord> {
  try {
    return await RunRecord.claim(folder.record)
  } catch (error) {
    if (!(error instanceof AlreadyRunningError)) throw error
    throw new StartupError(
      `Durable Trader already runs on ${folder.path} (process ${error.pid}). Stop it, or set DATA_DIR to another folder.`,
      { cause: error },
    )
  }
}

/** Ctrl-C, a closed terminal, a service manager or the end of npm: stop in order; the second time, kill. */
function stopOnRequest(supervisor: Supervisor, record: RunRecord) {
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= supervisor.stop())
  const requested = () => {
    if (stopped) {
      record.killAll()
      return
    }
    console.log('\nStopping everything, the API first (Ctrl-C again kills it at once) ...')
    void stop().then(() => {
      console.log('Stopped. Nothing is left running; the data is kept.')
      process.exit()
    })
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, requested)
  // With the terminal closed, what we say goes nowhere; that must not keep us from stopping.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  watchNpm(requested)
  return { stop, isStopping: () => stopped !== undefined }
}

/** npm that was killed cannot pass the signal on; the process above us is another one then. */
function watchNpm(gone: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    gone()
  }, 1_000)
  watch.unref()
}

function printWithTime(sentence: string): void {
  console.log(`${new Date().toLocaleTimeString('en-GB')} ${sentence}`)
}
