import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** The top folder of the repository. */
export const REPOSITORY = join(import.meta.dirname, '..', '..')

const NOT_OURS = new Set(['node_modules', '.git', '.data', 'dist', 'histories'])

let all: readonly string[] | undefined
const texts = new Map<string, string>()

/**
 * Every file of the repository whose name ends so, by its path from the top with forward slashes, sorted.
 * Installed packages, data of a running service and build results are left out. The folders are walked through once.
 */
export const repositoryFiles = (...endings: string[]): string[] =>
  (all ??= walked()).filter((path) => endings.some((ending) => path.endsWith(ending)))

/** Sources of the service and the web app; tests and benchmarks are none. */
export const productFiles = (): string[] =>
  repositoryFiles('.ts', '.tsx').filter((path) => !/^(test|bench)\//.test(path))

/** The text of a file of the repository, which is read once. */
export function read(path: string): string {
  const known = texts.get(path) ?? readFileSync(join(REPOSITORY, path), 'utf8')
  texts.set(path, known)
  return known
}

function walked(): string[] {
  const found: string[] = []
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (NOT_OURS.has(entry.name)) continue
      const path = join(folder, entry.name)
      if (entry.isDirectory()) visit(path)
      else found.push(relative(REPOSITORY, path).split(sep).join('/'))
    }
  }
  visit(REPOSITORY)
  return found.toSorted()
}
