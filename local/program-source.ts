import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RunRecord } from './run-record.ts'
import { runTool } from './tool-run.ts'

/** What getting a program needs from the run that wants it. */
export type ProgramSource = {
  record: RunRecord
  /** Where the output of downloads and builds is written. */
  logFolder: string
  /** Told in a few words how far it is. */
  report: (progress: string) => void
}

/** The first program of that name on the PATH that this user may run. */
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
    // Absent, or in a folder that is closed to us: not a program for us either way.
    return false
  }
}

/**
 * Has a program made in a folder beside its place and moves that folder there whole, so that a place holds a
 * working program or nothing, also when two runs make it at once.
 *
 * @param place path of the program; its folder is what is replaced
 * @param make fills the folder given; the program must bear its name there
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

/** Whether Temporal's download service can be reached; a closed network would otherwise cost minutes. */
export async function canReachDownloads(): Promise<boolean> {
  try {
    await fetch('https://temporal.download/', { method: 'HEAD', signal: AbortSignal.timeout(5_000) })
    return true
  } catch {
    // Any failure means the same: take another way.
    return false
  }
}

/** Downloads one of Temporal's servers through its SDK into the folder, under the name given. */
export async function downloadThroughSdk(
  server: 'cli' | 'time-skipping',
  version: string,
  place: string,
  source: ProgramSource,
): Promise<void> {
  const folder = dirname(place)
  await runTool({
    name: `Download of Temporal (${server})`,
    command: process.execPath,
    args: [fileURLToPath(new URL('./sdk-download.ts', import.meta.url)), server, version, folder],
    logFile: join(source.logFolder, `download-temporal-${server}.log`),
    record: source.record,
    timeLimitMs: 10 * 60_000,
    onProgress: () => source.report(`downloading, ${Math.round(sizeOf(folder) / 1_000_000)} MB`),
  })
  const [program] = readdirSync(folder).filter((name) => name.startsWith('temporal'))
  if (program === undefined) throw new Error(`the SDK left no program in ${folder}`)
  renameSync(join(folder, program), place)
}

function sizeOf(folder: string): number {
  return readdirSync(folder)
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0)
}
