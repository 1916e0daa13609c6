import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
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
import { buildWithGo } from './go-program.ts'

/** The command-line program that holds the development server. Later tags cannot be built by `go install`. */
const CLI_VERSION = '1.5.1'
const CLI = { name: 'temporal', package: 'github.com/temporalio/cli/cmd/temporal', version: CLI_VERSION }
/** The server inside that program, and in docker-compose.yml; a build by Go carries no version of its own. */
export const SERVER_VERSION = '1.29.1'
/** SHA-256 of the archives of that release, by platform and architecture; others are built. */
const ARCHIVES: Readonly<Record<string, string>> = {
  linux_amd64: 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
  linux_arm64: 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
  darwin_amd64: 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
  darwin_arm64: 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
}
/** The first server on which update-with-start is generally available. */
const OLDEST_USABLE_SERVER = [1, 28] as const

/** A `temporal` program and where it came from, in words. */
export type TemporalBinary = { path: string; origin: string }

/**
 * Finds a `temporal` program: on the PATH, in our cache, by download, or built by the Go toolchain.
 *
 * @throws {StartupError} when there is no way to get one here
 */
export async function findTemporalBinary(source: ProgramSource): Promise<TemporalBinary> {
  const installed = findOnPath('temporal')
  if (installed && isRecentEnough(await serverVersion(installed)))
    return { path: installed, origin: 'from the PATH' }

  const cached = join(cacheFolder(), `temporal-cli-${CLI_VERSION}`, 'temporal')
  if (existsSync(cached) && (await serverVersion(cached)) === SERVER_VERSION)
    return { path: cached, origin: 'from the cache' }

  const obstacles: string[] = []
  const archive = releasedArchive()
  if (archive) {
    try {
      await putInPlace(cached, (folder) => unpackDownload(archive, 'temporal', folder, source.report))
      return { path: await requirePinned(cached), origin: 'downloaded' }
    } catch (error) {
      obstacles.push(`the download failed: ${String(error)}`)
    }
  } else obstacles.push(`no download is known for ${process.platform} on ${process.arch}`)

  const go = findOnPath('go')
  if (go) {
    await putInPlace(cached, (folder) => buildWithGo(go, CLI, folder, source))
    return { path: await requirePinned(cached), origin: 'built with Go' }
  }
  obstacles.push('there is no Go toolchain to build it with')
  throw new StartupError(
    `No Temporal server: none on the PATH, ${obstacles.join(', ')}.\n` +
      'Install the temporal command (https://docs.temporal.io/cli), or set TEMPORAL_ADDRESS to a server of your own.',
  )
}

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
    // Not a program that runs here: as good as none.
    return undefined
  }
}

function isRecentEnough(version: string | undefined): boolean {
  if (version === undefined) return false
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return (
    major > OLDEST_USABLE_SERVER[0] || (major === OLDEST_USABLE_SERVER[0] && minor >= OLDEST_USABLE_SERVER[1])
  )
}
