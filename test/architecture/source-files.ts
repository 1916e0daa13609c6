import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** The top folder of the repository. */
export const REPOSITORY = join(import.meta.dirname, '..', '..')

const NOT_OURS = new Set(['node_modules', '.git', '.data', 'dist', 'histories'])

/**
 * Every file of the repository whose name ends so, by its path from the top with forward slashes, sorted.
 * Installed packages, data of a running service and build results are left out.
 */
export function repositoryFiles(...endings: string[]): string[] {
  const found: string[] = []
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (NOT_OURS.has(entry.name)) continue
      const path = join(folder, entry.name)
      if (entry.isDirectory()) visit(path)
      else if (endings.some((ending) => entry.name.endsWith(ending))) {
        found.push(relative(REPOSITORY, path).split(sep).join('/'))
      }
    }
  }
  visit(REPOSITORY)
  return found.toSorted()
}
