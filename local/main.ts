import {
  apiSettings,
  localSettings,
  readSettings,
  venueSettings,
  workerSettings,
  type LocalSettings,
} from '#config/env.ts'
import { dataFolderAt, makeDataFolder, type DataFolder } from './start/data-folder.ts'
import { explainFailure } from './start/diagnosis.ts'
import { HELP } from './start/help.ts'
import { startGuardian } from './processes/managed-process.ts'
import { requireFreePorts, type WantedPort } from './start/ports.ts'
import { AlreadyRunningError, RunRecord } from './processes/run-record.ts'
import { readOrMakeSecrets } from './start/secrets.ts'
import { startEverything } from './start/start-up.ts'
import { StartupError } from './processes/startup-error.ts'
import { summarise } from './start/summary.ts'
import { Supervisor } from './processes/supervisor.ts'

async function main(): Promise<void> {
  const settings = readAllSettings()
  // Data and logs are for their owner only.
  process.umask(0o077)
  const folder = dataFolderAt(settings.DATA_DIR)
  makeDataFolder(folder)
  const record = await claim(folder)
  startGuardian(record)
  const supervisor = new Supervisor({ record, announce: printWithTime })
  const stopping = stopOnRequest(supervisor, record)
  try {
    await requireFreePorts(wantedPorts(settings))
    const secrets = readOrMakeSecrets(folder.secrets)
    const started = await startEverything({ settings, folder, secrets, supervisor, record })
    if (!stopping.isStopping()) console.log(summarise(started, folder))
  } catch (error) {
    // What fails because it was stopped is no failure.
    if (stopping.isStopping()) return
    process.exitCode = 1
    await stopping.stop()
    console.error(`\n${explainFailure(error)}`)
  }
}

/** Reads the settings of every part, so that a faulty one is named before anything is started. */
function readAllSettings(): LocalSettings {
  for (const settings of [apiSettings, workerSettings, venueSettings]) readSettings(settings)
  return readSettings(localSettings)
}

function wantedPorts(settings: LocalSettings): WantedPort[] {
  const wanted = (part: string, setting: keyof LocalSettings & `${string}_PORT`) => ({
    part,
    setting,
    port: settings[setting],
  })
  return [
    wanted('the API', 'API_PORT'),
    wanted('the metrics of the API', 'API_METRICS_PORT'),
    wanted('the metrics of the worker', 'METRICS_PORT'),
    ...(settings.API_WORKER === 'on'
      ? [wanted("the metrics of the worker in the API's process", 'API_WORKER_METRICS_PORT')]
      : []),
    wanted('the health of the worker', 'WORKER_HEALTH_PORT'),
    ...(settings.DATABASE_URL ? [] : [wanted('PostgreSQL', 'POSTGRES_PORT')]),
    ...(settings.TEMPORAL_ADDRESS
      ? []
      : [
          wanted('Temporal', 'TEMPORAL_PORT'),
          wanted("Temporal's UI", 'TEMPORAL_UI_PORT'),
          wanted("decrypting for Temporal's UI", 'CODEC_PORT'),
        ]),
    ...(settings.VENUE_URL ? [] : [wanted('the paper venue', 'VENUE_PORT')]),
  ]
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

const [argument] = process.argv.slice(2)
if (argument === '--help' || argument === '-h') console.log(HELP)
else if (argument !== undefined) {
  console.error(`npm start does not know ${argument}.\n\n${HELP}`)
  process.exitCode = 1
} else {
  try {
    await main()
  } catch (error) {
    console.error(explainFailure(error))
    process.exitCode = 1
  }
}
