import { parseSync } from 'oxc-parser'
import { roomOf, targetOf } from '#test/architecture/import-rules.ts'

/** Rooms that are no product: their imports, names and texts do not count. */
export const TOOLS = ['test', 'bench']

/**
 * The names, those of types included, that a file outside test/ and bench/ exports and no other of these files imports, as
 * `file: name`. Such a name is there for tests, for a program that loads the file by its path, or for nobody. Default exports
 * are not counted, and of a file that is imported whole (`import * as`, `export *`, `import()`) every name is imported.
 */
export function unimportedExports(sources: ReadonlyMap<string, string>): string[] {
  const exported = new Map<string, string[]>()
  const imported = new Set<string>()
  for (const [path, text] of sources) {
    if (TOOLS.includes(roomOf(path))) continue
    const note = (specifier: string, name: string | null): void => {
      const target = targetOf(path, specifier)
      if (target !== null) imported.add(nameIn(target, name))
    }
    const { staticImports, staticExports } = parseSync(path, text).module
    for (const { moduleRequest, entries } of staticImports)
      for (const { importName } of entries) note(moduleRequest.value, importName.name)
    for (const { moduleRequest, importName, exportName } of staticExports.flatMap(({ entries }) => entries)) {
      if (moduleRequest) note(moduleRequest.value, importName.name)
      if (exportName.name !== null) exported.set(path, [...(exported.get(path) ?? []), exportName.name])
    }
    for (const [, specifier] of text.matchAll(/\bimport\(\s*'([^']+)'/g)) note(specifier!, null)
  }
  return [...exported].flatMap(([path, names]) =>
    imported.has(nameIn(path, null))
      ? []
      : names.map((name) => nameIn(path, name)).filter((name) => !imported.has(name)),
  )
}

/** Without a name: the whole file. */
const nameIn = (path: string, name: string | null): string => `${path}: ${name ?? '*'}`
