import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'

export type Secrets = {
  postgresPassword: string
  databasePassword: string
  venueKeyId: string
  venueSecretKey: string
  /** Secret of the venue's control API. */
  venueControlSecret: string
}

/** Reads the secrets and creates missing ones; only the owner may read the file. */
export const readOrMakeSecrets = (file: string): Secrets =>
  keepSecrets(file, {
    postgresPassword: makePassword(),
    databasePassword: makePassword(),
    venueKeyId: makeVenueKeyId(),
    venueSecretKey: makeVenueSecret(),
    venueControlSecret: makeVenueSecret(),
  })

export const makePassword = (): string => randomBytes(24).toString('base64url')
export const makeVenueKeyId = (): string => `PK${randomBytes(9).toString('hex').toUpperCase()}`
export const makeVenueSecret = (): string => randomBytes(30).toString('base64url')

/** Secrets of the file; missing ones are taken from `fresh` and stored. */
export function keepSecrets<T extends object>(file: string, fresh: T): T {
  const known = readJson<T>(file) ?? {}
  const secrets = { ...fresh, ...known }
  if (Object.keys(known).length < Object.keys(secrets).length) writePrivateJson(file, secrets)
  return secrets
}

/** Contents of a JSON file; undefined if absent. */
export function readJson<T>(file: string): Partial<T> | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<T>
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

/** Writes a file that only its owner may read, whole or not at all; afterwards its contents are on disk. */
export function writePrivateJson(file: string, contents: object): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(contents, undefined, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(draft, file)
}
