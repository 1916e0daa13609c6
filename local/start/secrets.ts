import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'

/** What the parts on this machine know each other by. */
export type Secrets = {
  /** Of PostgreSQL's superuser. */
  postgresPassword: string
  /** Of the user that the service is. */
  databasePassword: string
  venueKeyId: string
  venueSecretKey: string
  /** Opens the venue's control API. */
  venueControlSecret: string
}

/** Reads the secrets, making those that are missing; the file is for its owner only. */
export function readOrMakeSecrets(file: string): Secrets {
  const known = readJson<Secrets>(file) ?? {}
  const secrets: Secrets = {
    postgresPassword: randomBytes(24).toString('base64url'),
    databasePassword: randomBytes(24).toString('base64url'),
    venueKeyId: `PK${randomBytes(9).toString('hex').toUpperCase()}`,
    venueSecretKey: randomBytes(30).toString('base64url'),
    venueControlSecret: randomBytes(30).toString('base64url'),
    ...known,
  }
  if (Object.keys(known).length < Object.keys(secrets).length) writePrivateJson(file, secrets)
  return secrets
}

/** The contents of a JSON file; undefined when there is none. */
export function readJson<T>(file: string): Partial<T> | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<T>
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Writes a file that only its owner may read, whole or not at all; the disk has its contents then. */
export function writePrivateJson(file: string, contents: object): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(contents, undefined, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(draft, file)
}
