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
 * The next steps: addresses, credentials (in full on the first start only) and a call to copy.
 *
 * @param outside what there is to say of the Internet; null for nothing
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

/** The path as people would type it here. */
function shortest(path: string): string {
  const fromHere = relative('', path)
  return fromHere.startsWith('..') ? path : fromHere
}

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
