import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY, repositoryFiles } from '#test/architecture/source-files.ts'
import { digestOf, isExecuted, readCoverage, type Coverage } from '#test/runner/coverage.ts'
import type { Place } from './places.ts'

/** A test file that executes a place, and how many seconds it took without a change. */
export interface CoveringTest {
  file: string
  seconds: number
}

/** The share of its run that a test is taken to spend in a file at least, of which it uses constants. */
const LEAST_SHARE = 0.002

/** Finds which test files can notice a change of a place, by what each of them has executed. */
export class CoveringTests {
  readonly #coverages: ReadonlyMap<string, Coverage>
  readonly #importers = new Map<string, string[]>()

  /** @param testFiles those that have a record of coverage */
  constructor(testFiles: readonly string[]) {
    this.#coverages = new Map(testFiles.map((file) => [file, readCoverage(file)!]))
    for (const [file, targets] of readEveryImport())
      for (const target of targets)
        this.#importers.set(target, [...(this.#importers.get(target) ?? []), file])
  }

  /** The most promising first: those that take little time, and spend much of it in the file. */
  of(place: Place): CoveringTest[] {
    return [...this.#coverages]
      .filter(([, coverage]) => this.#executes(coverage, place))
      .map(([file, coverage]) => ({ file, seconds: coverage.seconds, share: shareOf(coverage, place.file) }))
      .toSorted((a, b) => a.seconds / a.share - b.seconds / b.share)
      .map(({ file, seconds }) => ({ file, seconds }))
  }

  #executes({ executed }: Coverage, { file, start, isTopLevel }: Place): boolean {
    // What runs when a file is loaded makes constants, which are used where it is imported.
    if (isTopLevel) return [file, ...(this.#importers.get(file) ?? [])].some((user) => user in executed)
    const found = executed[file]
    return found !== undefined && (found.digest !== digestOf(file) || isExecuted(found.edges, start))
  }
}

const lengthOf = (edges: readonly number[]): number =>
  edges.reduce((sum, edge, place) => sum + (place % 2 === 1 ? edge : -edge), 0)

function shareOf({ executed }: Coverage, file: string): number {
  const all = Object.values(executed).reduce((sum, { edges }) => sum + lengthOf(edges), 0)
  return Math.max(lengthOf(executed[file]?.edges ?? []) / (all || 1), LEAST_SHARE)
}

const IMPORT = /^(?:import|export)(?! type)[^'"]*?from '([#.][^']+)'|\bimport\('([#.][^']+)'\)/gm

function readEveryImport(): Map<string, string[]> {
  const files = repositoryFiles('.ts').filter((file) => !file.startsWith('web/'))
  return new Map(
    files.map((file) => {
      const targets = readFileSync(join(REPOSITORY, file), 'utf8').matchAll(IMPORT)
      return [file, [...targets].map(([, fixed, late]) => resolved(file, (fixed ?? late)!))]
    }),
  )
}

const resolved = (file: string, specifier: string): string =>
  specifier.startsWith('#') ? specifier.slice(1) : join(file, '..', specifier)
