import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import type { Settings } from './part.ts'

const VARIABLE = 'SUBSTITUTE_MODULES'
const REPOSITORY = join(import.meta.dirname, '..', '..')

/** One import of a process under test that gets another module than the one it names. */
export interface Substitute {
  /** Path from the top of the repository of the file that imports. */
  importer: string
  /** As written there. */
  specifier: string
  /** Where the other module is. */
  url: string
}

/**
 * Settings with which a process of the service starts with modules of a test in the place of its own.
 *
 * @param modules importing file -> what it imports, as written there -> the test's module; from the top of the repository
 */
export function substituting(modules: Record<string, Record<string, string>>): Settings {
  const urlOf = (path: string): string => pathToFileURL(join(REPOSITORY, path)).href
  const substitutes = Object.entries(modules).flatMap(([importer, imports]) =>
    Object.entries(imports).map(([specifier, path]): Substitute => ({
      importer,
      specifier,
      url: urlOf(path),
    })),
  )
  return {
    NODE_OPTIONS: `--import=${urlOf('test/support/substitute-modules.ts')}`,
    [VARIABLE]: JSON.stringify(substitutes),
  }
}

/** What {@link substituting} has put into the environment. */
export const readSubstitutes = (environment: Record<string, string | undefined>): Substitute[] =>
  JSON.parse(environment[VARIABLE] ?? '[]') as Substitute[]
