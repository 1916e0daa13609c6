import { posix } from 'node:path'
import type { SourceImport } from './read-imports.ts'

/** A permission: which files of a room may be imported, by which files, and whether for their types only. */
export interface Grant {
  /** The same in a few words, for the table in docs/build/architecture.md. */
  says: string
  /** Paths from the top of the repository of the files that may import; all of the room when absent. */
  by?: RegExp
  /** Paths from the top of the repository of the files that may be imported; all of the room when absent. */
  only?: RegExp
  typesOnly?: true
}

/** Who may import whom. Whatever is not granted is forbidden. */
export interface ImportMatrix {
  /** Importing room -> imported room -> grants, of which one must fit. */
  rooms: Record<string, Record<string, Grant[]>>
  /** Package name (`node:` stands for all of Node's modules) -> grants, of which one must fit. */
  packages: Record<string, Omit<Grant, 'says'>[]>
  /** Rooms that may import every installed package and every file. */
  unrestricted: string[]
  /** Files that start a process: nothing imports them outside the unrestricted rooms. */
  entryPoints: RegExp
}

/** A file's imports by its path from the top of the repository. */
export type ImportsByFile = ReadonlyMap<string, readonly SourceImport[]>

export const roomOf = (path: string): string => path.split('/')[0]!

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/** The file in the repository that an import of `importer` means; null for a package or a Node module. */
export function targetOf(importer: string, specifier: string): string | null {
  if (specifier.startsWith('#')) return specifier.slice(1)
  if (specifier.startsWith('.')) return posix.join(posix.dirname(importer), specifier)
  return null
}

/** One line for every import that the matrix does not grant. */
export function importFaults(files: ImportsByFile, matrix: ImportMatrix): string[] {
  const faults: string[] = []
  for (const [importer, imports] of files) {
    for (const imported of imports) {
      const fault = faultOf(importer, imported, matrix)
      if (fault) faults.push(`${importer}: ${fault}`)
    }
  }
  return faults
}

function faultOf(
  importer: string,
  { specifier, typeOnly }: SourceImport,
  matrix: ImportMatrix,
): string | null {
  const room = roomOf(importer)
  const target = targetOf(importer, specifier)
  const granted = (grants: Omit<Grant, 'says'>[] | undefined, path: string): boolean =>
    (grants ?? []).some(
      ({ by, only, typesOnly }) =>
        (!by || by.test(importer)) && (!only || only.test(path)) && (!typesOnly || typeOnly),
    )
  if (target === null) {
    if (matrix.unrestricted.includes(room)) return null
    const name = specifier.startsWith('node:') ? 'node:' : packageOf(specifier)
    return granted(matrix.packages[specifier] ?? matrix.packages[name], specifier)
      ? null
      : `${specifier} is not granted to this file`
  }
  const targetRoom = roomOf(target)
  if (targetRoom === room) {
    return specifier.startsWith('#') && !matrix.unrestricted.includes(room)
      ? `${specifier} lies in the same room: import it by relative path`
      : null
  }
  if (specifier.startsWith('.')) return `${specifier} leaves the room: import it as #${target}`
  if (matrix.unrestricted.includes(room)) return null
  if (matrix.entryPoints.test(target)) return `${specifier} starts a process and is never imported`
  return granted(matrix.rooms[room]?.[targetRoom], target)
    ? null
    : `${specifier} is not granted to ${room}/${typeOnly ? '' : ' as a running import'}`
}

/** The circles in a graph, each as its nodes in order with the first one repeated at the end. */
export function cyclesIn(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const cycles: string[][] = []
  const done = new Set<string>()
  const walk = (node: string, path: string[]): void => {
    const start = path.indexOf(node)
    if (start >= 0) {
      cycles.push([...path.slice(start), node])
      return
    }
    if (done.has(node)) return
    for (const next of edges.get(node) ?? []) walk(next, [...path, node])
    done.add(node)
  }
  for (const node of edges.keys()) walk(node, [])
  return cycles
}

/** Which file imports which. */
export function fileGraph(files: ImportsByFile): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>()
  for (const [importer, imports] of files) {
    const targets = imports.map(({ specifier }) => targetOf(importer, specifier))
    graph.set(importer, new Set(targets.filter((target) => target !== null)))
  }
  return graph
}

/** Which room runs code of which; types are left out, since they are gone when the program runs. */
export function roomGraph(files: ImportsByFile): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>()
  for (const [importer, imports] of files) {
    const room = roomOf(importer)
    const targets = graph.get(room) ?? new Set()
    graph.set(room, targets)
    for (const { specifier, typeOnly } of imports) {
      const target = targetOf(importer, specifier)
      if (target !== null && !typeOnly && roomOf(target) !== room) targets.add(roomOf(target))
    }
  }
  return graph
}
