import { relative } from 'node:path'
import { type DataFolder, dataFolderAt, makeDataFolder } from './data-folder.ts'
import { type Started, startEverything } from './start-up.ts'
import * as module from 'node:module'
import { apiSettings, readSettings, venueSettings, workerSettings, type LocalSettings } from '#config/env.ts'
import '../processes/keeper.ts'
import { explainFailure } from './diagnosis.ts'
import { HELP } from './help.ts'
import { claimKeeper } from './keeper-link.ts'
import { settingsOfOptions, summariseOutside } from './outside.ts'
import { readLocalSettings, requireFreePorts, wantedPorts } from './ports.ts'
import { readOrMakeSecrets } from './secrets.ts'

/**
 * Next steps: addresses, a call to copy, and credentials, in full only on the first start.
 *
 * @param outside words about the Internet; null for none
 */
export function summarise(
  { credentials, isFirstStart, mailbox, webApp }: Started,
  folder: DataFolder,
  outside: string | null = null,
): string {
  const file = shortest(folder.demoCredentials)
  const token = isFirstStart
    ? credentials.token
    : `$(node -p 'JSON.parse(require("fs").readFileSync("${file}")).token')`
  const body = {
    symbol: 'AAPL',
    action: 'openLong',
    accountId: credentials.accountId,
    quantity: 1,
    executeMode: webApp.isServed ? 'pending' : 'immediate',
  }
  const password =
    credentials.password === null
      ? `as it was; another by ${credentials.webUrl}/forgot-password`
      : `${credentials.password}   (shown this once)`
  const secrets = isFirstStart
    ? `  Password      ${password}\n  Access token  ${credentials.token}   (shown this once)\n  All of it     ${file}`
    : `  Credentials   ${file}`
  const { portBase } = credentials
  const ports =
    portBase === undefined
      ? ''
      : `  Ports         from ${portBase} on, also at later starts without PORT_BASE\n`
  return `
Everything works.

  Web app       ${webApp.isServed ? credentials.webUrl : webApp.why}
  API           ${credentials.apiUrl}
  Its reference ${credentials.webUrl}/docs
${mailbox === null ? '' : `  Mailbox       ${mailbox}\n`}  Temporal UI   ${credentials.temporalUiUrl}
  Paper venue   ${credentials.venueUrl}
  Demo user     ${credentials.email}
  Paper account ${credentials.accountId}
${secrets}
${ports}  Logs          ${shortest(folder.logs)}

Buy one share on paper${webApp.isServed ? ', then approve it in the web app' : ''}:

  curl -sS ${credentials.apiUrl}/signals -H "Authorization: Bearer ${token}" \\
    -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'

${outside === null ? '' : `${outside}\n\n`}Ctrl-C stops everything.`
}

function shortest(path: string): string {
  const fromHere = relative('', path)
  return fromHere.startsWith('..') ? path : fromHere
}

/** Starts the installation, prints its summary, and ends. A failure stops the started parts and sets status 1. */
async function main(args: readonly string[]): Promise<void> {
  // Options become settings, which the parts read from their environment.
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

/** Faulty settings of any part are named before anything starts. */
function readAllSettings(): LocalSettings {
  for (const settings of [apiSettings, workerSettings, venueSettings]) readSettings(settings)
  return readLocalSettings()
}

// Signals are handled by the keeper, which ends this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit(1))
// Caches the compiled keeper, which this process imports only for that.
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
