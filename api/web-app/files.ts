import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { HASHED_FILES } from '#domain/app-addresses.ts'
import { encoded, type Encoded, type Forms } from '../http/cached-answer.ts'

/** A file of the built web app, with the compressed forms that the build has written beside it. */
export interface AppFile extends Forms {
  /** Its name tells its content, so that it is never another one. */
  isImmutable: boolean
}

/** Not for visitors: compressed forms are sent under the name of the file itself, source maps and stamps not at all. */
const HIDDEN = /\.(br|gz|map)$|(^|\/)\./

/**
 * The files of the built web app by their addresses; empty where none was built. They are read once: asking for one costs
 * no disk, no path leaves the folder, and a rebuild beneath a running process mixes no two builds.
 */
export function readAppFiles(folder: string): ReadonlyMap<string, AppFile> {
  if (!existsSync(join(folder, 'index.html'))) return new Map()
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
  const read = (name: string): Encoded => encoded(readFileSync(join(folder, name)))
  const readIfThere = (name: string): Encoded | null => (names.includes(name) ? read(name) : null)
  return new Map(
    names
      .filter((name) => !HIDDEN.test(name))
      .map((name) => [
        `/${name}`,
        {
          plain: read(name),
          br: readIfThere(`${name}.br`),
          gzip: readIfThere(`${name}.gz`),
          isImmutable: `/${name}`.startsWith(HASHED_FILES),
        },
      ]),
  )
}
