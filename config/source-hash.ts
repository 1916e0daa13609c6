import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The top of the project. */
export const PROJECT = fileURLToPath(new URL('..', import.meta.url))

/**
 * What sources are known by: changes with any of them.
 *
 * @param paths folders and files of the project, by their paths from its top
 * @param isSource leaves out files that are made, and not written
 * @param project the top of the project
 */
export function hashOfSources(
  paths: readonly string[],
  isSource: (path: string) => boolean = () => true,
  project = PROJECT,
): string {
  const hash = createHash('sha256')
  for (const path of paths.flatMap((each) => filesUnder(each, project)).filter(isSource))
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(project, path)))
  return hash.digest('hex').slice(0, 16)
}

/** The files of a folder in the project, or the file itself, by their paths from its top, in a fixed order. */
function filesUnder(path: string, project: string): string[] {
  if (path.includes('.')) return [path]
  return readdirSync(join(project, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(project, join(entry.parentPath, entry.name)))
    .toSorted()
}
