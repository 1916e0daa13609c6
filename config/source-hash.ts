import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const PROJECT = fileURLToPath(new URL('..', import.meta.url))

/**
 * Hash of sources.
 * @param paths folders and files of the project
 * @param isSource excludes generated files
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

/** Files of a folder, or the file itself, in a fixed order. */
function filesUnder(path: string, project: string): string[] {
  if (path.includes('.')) return [path]
  return readdirSync(join(project, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(project, join(entry.parentPath, entry.name)))
    .toSorted()
}
