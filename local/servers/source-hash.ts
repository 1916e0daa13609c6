import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The top of the project. */
export const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * What sources are known by: changes with any of them.
 *
 * @param paths folders and files of the project, by their paths from its top
 * @param isSource leaves out files that are made, and not written
 */
export function hashOfSources(
  paths: readonly string[],
  isSource: (path: string) => boolean = () => true,
): string {
  const hash = createHash('sha256')
  for (const path of paths.flatMap(filesUnder).filter(isSource))
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(PROJECT, path)))
  return hash.digest('hex').slice(0, 16)
}

/** The files of a folder in the project, or the file itself, by their paths from its top, in a fixed order. */
function filesUnder(path: string): string[] {
  if (path.includes('.')) return [path]
  return readdirSync(join(PROJECT, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(PROJECT.length))
    .toSorted()
}
