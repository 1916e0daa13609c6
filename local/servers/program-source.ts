import { execFile } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  constants,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  createReadStream,
  readdirSync,
} from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import type { ProcessRecord } from '../processes/managed-process.ts'
import { createHash } from 'node:crypto'
import { homedir } from 'node:os'

/** Folder of downloaded and built programs, shared by every copy of the project. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'durable-trader')
}

/**
 * Setting with which Node compiles code once instead of at each start, which halves loading; it detects stale code by
 * its contents.
 */
export const compiledOnce = (): { NODE_COMPILE_CACHE: string } => ({
  NODE_COMPILE_CACHE: join(cacheFolder(), 'compiled'),
})

export class DigestError extends Error {
  override readonly name = 'DigestError'
}

/** Throws {@link DigestError} unless the file has the SHA-256, in hexadecimal digits. */
async function requireDigest(file: string, sha256: string): Promise<void> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  const found = hash.digest('hex')
  if (found !== sha256) throw new DigestError(`the SHA-256 of ${file} is ${found}, not ${sha256}`)
}

/** Throws {@link DigestError} unless the folder holds exactly these files: name -> SHA-256. */
export async function requireExactly(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  const foreign = readdirSync(folder).filter((name) => !Object.hasOwn(files, name))
  if (foreign.length > 0) throw new DigestError(`${folder} holds unexpected files: ${foreign.join(', ')}`)
  for (const [name, sha256] of Object.entries(files)) await requireDigest(join(folder, name), sha256)
}

export type ProgramSource = {
  record: ProcessRecord
  logFolder: string
  /** Called with the progress in a few words. */
  report: (progress: string) => void
}

export function findOnPath(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    // A program that is absent, or in a closed folder, is unusable.
    return false
  }
}

/**
 * Makes a program in a draft folder and renames it, so that a place holds a working program or nothing, even with two
 * runs at once.
 *
 * @param place path of the program, whose folder is replaced
 * @param make fills the given folder; the program must have its name there
 */
export async function putInPlace(place: string, make: (folder: string) => Promise<void>): Promise<void> {
  const folder = dirname(place)
  mkdirSync(dirname(folder), { recursive: true })
  const draft = mkdtempSync(`${folder}.draft-`)
  try {
    await make(draft)
    chmodSync(draft, 0o755)
    chmodSync(join(draft, basename(place)), 0o755)
    rmSync(folder, { recursive: true, force: true })
    renameSync(draft, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

export type PinnedArchive = { url: string; sha256: string }

/**
 * Unpacks one program of a downloaded archive into the folder, if the digest matches.
 *
 * @throws {DigestError} when it does not; nothing is unpacked then
 * @throws {Error} when it cannot be fetched within ten minutes, or lacks the program
 */
export async function unpackDownload(
  { url, sha256 }: PinnedArchive,
  program: string,
  folder: string,
  report: ProgramSource['report'],
): Promise<void> {
  const archive = join(folder, 'download.tar.gz')
  const response = await fetch(url, { signal: AbortSignal.timeout(10 * 60_000) })
  if (!response.ok || !response.body) throw new Error(`${url} answers ${response.status}`)
  const total = Number(response.headers.get('content-length') ?? 0)
  const ofAll = total > 0 ? ` of ${Math.ceil(total / 1_000_000)}` : ''
  let size = 0
  const count = new Transform({
    transform(chunk: Buffer, _, pass) {
      size += chunk.length
      report(`downloading, ${Math.ceil(size / 1_000_000)}${ofAll} MB`)
      pass(null, chunk)
    },
  })
  await pipeline(Readable.fromWeb(response.body), count, createWriteStream(archive))
  await requireDigest(archive, sha256)
  await promisify(execFile)('tar', ['-xzf', archive, '-C', folder, program])
  rmSync(archive)
}
