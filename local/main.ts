import { apiSettings, readSettings, venueSettings, workerSettings, type LocalSettings } from '#config/env.ts'
import { dataFolderAt } from './start/data-folder.ts'
import { explainFailure } from './start/diagnosis.ts'
import { runInForeground } from './start/foreground.ts'
import { HELP } from './start/help.ts'
import { settingsOfOptions, summariseOutside } from './start/outside.ts'
import { readLocalSettings, requireFreePorts, wantedPorts } from './start/ports.ts'
import { readOrMakeSecrets } from './start/secrets.ts'
import { startEverything } from './start/start-up.ts'
import { summarise } from './start/summary.ts'

async function main(args: readonly string[]): Promise<void> {
  // An option stands for settings of the parts, which read them from their environment.
  Object.assign(process.env, settingsOfOptions(args, process.env))
  const settings = readAllSettings()
  const folder = dataFolderAt(settings.DATA_DIR)
  await runInForeground(folder, async (run) => {
    await requireFreePorts(wantedPorts(settings), (base) =>
      wantedPorts(readLocalSettings({ ...process.env, PORT_BASE: String(base) })),
    )
    const secrets = readOrMakeSecrets(folder.secrets)
    const started = await startEverything({ ...run, settings, folder, secrets })
    const outside = summariseOutside(readSettings(apiSettings), `http://127.0.0.1:${settings.API_PORT}`)
    return summarise(started, folder, outside)
  })
}

/** Reads the settings of every part, so that a faulty one is named before anything is started. */
function readAllSettings(): LocalSettings {
  for (const settings of [apiSettings, workerSettings, venueSettings]) readSettings(settings)
  return readLocalSettings()
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
