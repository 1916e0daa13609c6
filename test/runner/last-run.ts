import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { REPOSITORY } from '#test/architecture/source-files.ts'

const FILE = join(REPOSITORY, 'node_modules/.cache/durable-trader/seconds-of-npm-test')

/** Keeps the seconds that the whole `npm test` took on this machine, for `npm run size`. */
export function keepSeconds(seconds: number): void {
  mkdirSync(dirname(FILE), { recursive: true })
  writeFileSync(FILE, String(Math.round(seconds)))
}

/** The seconds of the last whole `npm test` on this machine; null when there was none since `npm ci`. */
export function lastSeconds(): number | null {
  try {
    return Number(readFileSync(FILE, 'utf8'))
  } catch {
    return null
  }
}
