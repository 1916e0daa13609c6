import * as module from 'node:module'
import { apiSettings, readSettings, venueSettings, workerSettings, type LocalSettings } from '#config/env.ts'
import '../processes/keeper.ts'
import { dataFolderAt, makeDataFolder } from './data-folder.ts'
import { explainFailure } from './diagnosis.ts'
import { HELP } from './help.ts'
import { claimKeeper } from './keeper-link.ts'
import { settingsOfOptions, summariseOutside } from './outside.ts'
import { readLocalSettings, requireFreePorts, wantedPorts } from './ports.ts'
import { readOrMakeSecrets } from './secrets.ts'
import { startEverything } from './start-up.ts'
import { summarise } from './summary.ts'

/**
 * Brings the installation up, prints what a person has to know, and ends; the process that forked it keeps the parts.
 * When it fails, what was started is stopped, and the status is 1.
 */
async function main(args: readonly string[]): Promise<void> {
  // An option stands for settings of the parts, which read them from their environment.
  Object.assign(process.env, settingsOfOptions(args, process.env))
  const settings = readAllSettings()
  const folder = dataFolderAt(settings.DATA_DIR)
  makeDataFolder(folder)
  const keeper = await claimKeeper(folder.record, folder.path)
  try {
    await requireFreePorts(wantedPorts(settings), (base) =>
      wantedPorts(readLocalSettings({ ...process.env, PORT_BASE: String(base) })),
    )
    const secrets = readOrMakeSecrets(folder.secrets)
    const started = await startEverything({ keeper, settings, folder, secrets })
    const outside = summariseOutside(readSettings(apiSettings), `http://127.0.0.1:${settings.API_PORT}`)
    console.log(summarise(started, folder, outside))
  } catch (error) {
    await keeper.stop()
    throw error
  }
}

/** Reads the settings of every part, so that a faulty one is named before anything is started. */
function readAllSettings(): LocalSettings {
  for (const settings of [apiSettings, workerSettings, venueSettings]) readSettings(settings)
  return readLocalSettings()
}

// Signals are for the process that keeps the parts: it ends this one.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit(1))
// The keeper's code, which this process imports for nothing else, is in the cache when the keeper is called.
module.flushCompileCache?.()
const args = process.argv.slice(2)
try {
  if (args.some((argument) => argument === '--help' || argument === '-h')) console.log(HELP)
  else await main(args)
  process.exit()
} catch (error) {
  console.error(`\n${explainFailure(error)}`)
  process.exit(1)
}
