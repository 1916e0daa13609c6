import {
  apiSettings,
  localSettings,
  readSettings,
  venueSettings,
  workerSettings,
  type LocalSettings,
} from '#config/env.ts'
import { dataFolderAt } from './start/data-folder.ts'
import { explainFailure } from './start/diagnosis.ts'
import { runInForeground } from './start/foreground.ts'
import { HELP } from './start/help.ts'
import { settingsOfOptions, summariseOutside } from './start/outside.ts'
import { requireFreePorts, type WantedPort } from './start/ports.ts'
import { readOrMakeSecrets } from './start/secrets.ts'
import { startEverything } from './start/start-up.ts'
import { summarise } from './start/summary.ts'

async function main(args: readonly string[]): Promise<void> {
  // An option stands for settings of the parts, which read them from their environment.
  Object.assign(process.env, settingsOfOptions(args, process.env))
  const settings = readAllSettings()
  const folder = dataFolderAt(settings.DATA_DIR)
  await runInForeground(folder, async (run) => {
    await requireFreePorts(wantedPorts(settings))
    const secrets = readOrMakeSecrets(folder.secrets)
    const started = await startEverything({ ...run, settings, folder, secrets })
    const outside = summariseOutside(readSettings(apiSettings), `http://127.0.0.1:${settings.API_PORT}`)
    return summarise(started, folder, outside)
  })
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

const args = process.argv.slice(2)
if (args.some((argument) => argument === '--help' || argument === '-h')) console.log(HELP)
else {
  try {
    await main(args)
  } catch (error) {
    console.error(explainFailure(error))
    process.exitCode = 1
  }
}
