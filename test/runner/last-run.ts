import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { REPOSITORY } from '#test/architecture/source-files.ts'

const FILE = join(REPOSITORY, 'node_modules/.cache/durable-trader/seconds-of-tests.json')

/** Seconds of the last whole `npm test` on this machine, and of each file when it last ran. */
interface LastRun {
  whole: number | null
  files: Record<string, number>
}

/** Keeps the seconds of files for the order of the next run, and those of the whole `npm test` for `npm run size`. */
export function keepSeconds(files: Record<string, number>, whole = lastSeconds()): void {
  mkdirSync(dirname(FILE), { recursive: true })
  writeFileSync(FILE, JSON.stringify({ whole, files: { ...secondsOfFiles(), ...files } } satisfies LastRun))
}

/** The seconds of the last whole `npm test` on this machine; null when there was none since `npm ci`. */
export const lastSeconds = (): number | null => lastRun().whole

export const secondsOfFiles = (): Record<string, number> => lastRun().files

function lastRun(): LastRun {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8')) as LastRun
  } catch {
    return { whole: null, files: {} }
  }
}
