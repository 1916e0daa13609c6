import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromStoredText } from '../histories/stored-history.ts'

/** The histories that are kept in the repository: one folder for each version, one file for each path and run. */
export const HISTORIES = join(import.meta.dirname, '..', 'histories')

export const versions = (): string[] =>
  readdirSync(HISTORIES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
export const pathsOf = (version: string): string[] =>
  readdirSync(join(HISTORIES, version)).map((file) => file.replace(/\.json$/, ''))
export const historyOf = (version: string, path: string) =>
  fromStoredText(readFileSync(join(HISTORIES, version, `${path}.json`), 'utf8'))
