import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { HASHED_FILES } from '#domain/hook/host-name.ts'
import { encoded, type Encoded, type Forms } from '../http/cached-answer.ts'

export interface AppFile extends Forms {
  isImmutable: boolean
}

/** Compressed forms use the file's own name; source maps and stamps are hidden. */
const HIDDEN = /\.(br|gz|map)$|(^|\/)\./

/** Read once: no path leaves the folder, and rebuilds do not mix. */
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
