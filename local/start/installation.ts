import { apiSettings, keySettings, localSettings, readSettings } from '#config/env.ts'
import { openDatabase, type Database } from '#db/engine/database.ts'
import { dataFolderAt, type DataFolder } from './data-folder.ts'
import type { DemoCredentials } from './demo.ts'
import { requireExternalDatabase } from './external-parts.ts'
import { portOfServer, runStatement } from '../servers/postgres.ts'
import { readJson, type Secrets } from './secrets.ts'
import { serviceUrl } from '../servers/service-database.ts'
import { StartupError } from '../processes/startup-error.ts'

export type Installation = {
  database: Database
  keyFile: string
  /** Address of its API and web app; null if unknown. */
  webUrl: string | null
  /** File of messages while no mail server is set. */
  mailboxFile: string
}

/**
 * Opens the installation of DATABASE_URL and KEY_FILE, or that of `npm start` in DATA_DIR. The caller closes its
 * database.
 *
 * @throws {StartupError} where there is neither, or it does not run
 */
export async function openInstallation(): Promise<Installation> {
  const { DATABASE_URL, DATA_DIR } = readSettings(localSettings)
  const { KEY_FILE } = readSettings(keySettings)
  const folder = dataFolderAt(DATA_DIR)
  // The value that npm start gives the API, unless the API was started by other means.
  const { MAILBOX_FILE: mailboxFile } = readSettings(apiSettings.pick({ MAILBOX_FILE: true }), {
    MAILBOX_FILE: folder.mailbox,
    ...process.env,
  })
  const databaseUrl = DATABASE_URL ?? embeddedDatabase(folder)
  if (DATABASE_URL === undefined) await requireRunning(databaseUrl, folder)
  else await requireExternalDatabase(DATABASE_URL)
  await requireTables(databaseUrl)
  return {
    database: await openDatabase(databaseUrl, 2),
    keyFile: KEY_FILE ?? folder.keys,
    mailboxFile,
    webUrl:
      DATABASE_URL === undefined ? (readJson<DemoCredentials>(folder.demoCredentials)?.webUrl ?? null) : null,
  }
}

function embeddedDatabase(folder: DataFolder): string {
  const password = readJson<Secrets>(folder.secrets)?.databasePassword
  if (password === undefined)
    throw new StartupError(
      `There is no installation in ${folder.path}: set DATABASE_URL (and KEY_FILE), or DATA_DIR to a folder that npm start has used.`,
    )
  const port = portOfServer(folder.postgres)
  if (port === null) throw notRunning(folder)
  return serviceUrl(port, password, 'durable_trader')
}

async function requireRunning(databaseUrl: string, folder: DataFolder): Promise<void> {
  try {
    await runStatement(databaseUrl, 'select 1')
  } catch (error) {
    throw notRunning(folder, error as Error)
  }
}

const notRunning = (folder: DataFolder, cause?: Error): StartupError =>
  new StartupError(
    `The installation in ${folder.path} does not run${cause ? ` (${cause.message})` : ''}: start it with npm start, or set DATA_DIR to another one.`,
    { cause },
  )

async function requireTables(databaseUrl: string): Promise<void> {
  try {
    await runStatement(databaseUrl, 'select from schema_migrations')
  } catch (error) {
    const { host, pathname } = new URL(databaseUrl)
    throw new StartupError(
      `The database ${pathname.slice(1)} at ${host} holds no installation (${(error as Error).message}): start the service on it first.`,
      { cause: error },
    )
  }
}
