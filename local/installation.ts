import { keySettings, localSettings, readSettings } from '#config/env.ts'
import { dataFolderAt } from './data-folder.ts'
import { readJson, type Secrets } from './secrets.ts'
import { serviceUrl } from './service-database.ts'
import { StartupError } from './startup-error.ts'

/** Where a command that is run by hand finds the installation that it is about. */
export type Installation = { databaseUrl: string; keyFile: string }

/**
 * The installation of DATABASE_URL and KEY_FILE, or else that of `npm start` in DATA_DIR. Throws
 * {@link StartupError} where there is neither.
 */
export function findInstallation(): Installation {
  const settings = readSettings(localSettings)
  const { KEY_FILE } = readSettings(keySettings)
  const folder = dataFolderAt(settings.DATA_DIR)
  return {
    databaseUrl: settings.DATABASE_URL ?? embeddedDatabase(folder.secrets, settings.POSTGRES_PORT),
    keyFile: KEY_FILE ?? folder.keys,
  }
}

function embeddedDatabase(secretsFile: string, port: number): string {
  const password = readJson<Secrets>(secretsFile)?.databasePassword
  if (password === undefined)
    throw new StartupError(
      'There is no installation here: set DATABASE_URL (and KEY_FILE), or DATA_DIR to a folder that npm start has used.',
    )
  return serviceUrl(port, password, 'durable_trader')
}
