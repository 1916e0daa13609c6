import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { Session, type Profiler } from 'node:inspector/promises'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { REPOSITORY } from '#test/architecture/source-files.ts'

/** Which parts of the product one test file has executed, for `npm test -- mutants`. */
export interface Coverage {
  /** Of the test file's text. */
  digest: string
  seconds: number
  /** By file of the product: the digest of its text, and the offsets at which execution starts and ends in turn. */
  executed: Record<string, { digest: string; edges: number[] }>
}

const PRODUCT = /^(domain|contract|activities|workflows|db|api|worker|brokers)\/.*\.ts$/
/** The code of workflows, as a worker runs it. */
const BUNDLE = /\/workflow-bundle-[^/]*\.js$/
/** Of every working copy of the repository its own; the folder outlives commits, for each record names the texts it is of. */
const FOLDER = join(REPOSITORY, 'node_modules', '.cache', 'durable-trader', 'coverage')

const pathOf = (testFile: string): string => join(FOLDER, `${testFile.replaceAll('/', '+')}.json`)

const digests = new Map<string, string>()

/** Of a file's text, which is taken to stay as it is while a process runs; empty where there is no such file. */
export function digestOf(file: string): string {
  const path = join(REPOSITORY, file)
  const digest =
    digests.get(file) ??
    (existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 12) : '')
  digests.set(file, digest)
  return digest
}

/** The record of a test file, null where there is none of its present text. */
export function readCoverage(testFile: string): Coverage | null {
  const path = pathOf(testFile)
  if (!existsSync(path)) return null
  const coverage = JSON.parse(readFileSync(path, 'utf8')) as Coverage
  return coverage.digest === digestOf(testFile) ? coverage : null
}

/** Whether everything that was executed is as it was then. */
export const isFresh = ({ executed }: Coverage): boolean =>
  Object.entries(executed).every(([file, { digest }]) => digest === digestOf(file))

/** Begins to count what this process executes; each file's share is kept when it is over. */
export function startCoverage(): { keep(testFile: string, seconds: number): Promise<void> } {
  // Temporal runs workflows on this thread then, where they are seen.
  process.env['TEMPORAL_DEBUG'] = '1'
  const session = new Session()
  session.connect()
  const begun = session
    .post('Profiler.enable')
    .then(() => session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true }))
  return {
    async keep(testFile, seconds) {
      await begun
      const { result } = await session.post('Profiler.takePreciseCoverage')
      const parts = new Map<string, Part[]>()
      const add = (file: string, found: readonly Part[]): void =>
        void (
          PRODUCT.test(file) &&
          found.length > 0 &&
          parts.set(file, [...(parts.get(file) ?? []), ...found])
        )
      for (const { url, scriptId, functions } of result) {
        if (BUNDLE.test(url)) {
          for (const [file, part] of inSources(await textOf(session, scriptId), executedParts(functions)))
            add(file, [part])
        } else if (url.startsWith('file:')) add(inRepository(fileURLToPath(url)), executedParts(functions))
      }
      const path = pathOf(testFile)
      mkdirSync(join(path, '..'), { recursive: true })
      const executed = Object.fromEntries(
        [...parts].map(([file, found]) => [file, { digest: digestOf(file), edges: edgesOf(found) }]),
      )
      const coverage: Coverage = { digest: digestOf(testFile), seconds, executed }
      writeFileSync(`${path}.new`, JSON.stringify(coverage))
      renameSync(`${path}.new`, path)
    },
  }
}

/** From an offset up to and without another one. */
type Part = readonly [start: number, end: number]

const inRepository = (path: string): string => path.slice(REPOSITORY.length + 1)

async function textOf(session: Session, scriptId: string): Promise<string> {
  await session.post('Debugger.enable')
  const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId })
  await session.post('Debugger.disable')
  return scriptSource
}

/** What of a script was executed: the innermost of the nested ranges counts. The script's own range, which is always there, is left out. */
function executedParts(functions: readonly Profiler.FunctionCoverage[]): Part[] {
  const ranges = functions
    .flatMap(({ ranges: [own, ...inner] }) => (own!.startOffset === 0 ? inner : [own!, ...inner]))
    .toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)
  const parts: Part[] = []
  const open: Profiler.CoverageRange[] = []
  let reached = 0
  const reach = (at: number): void => {
    if ((open.at(-1)?.count ?? 0) > 0 && at > reached) parts.push([reached, at])
    reached = at
  }
  const close = (before: number): void => {
    while (open.length > 0 && open.at(-1)!.endOffset <= before) {
      reach(open.at(-1)!.endOffset)
      open.pop()
    }
  }
  for (const range of ranges) {
    close(range.startOffset)
    reach(range.startOffset)
    open.push(range)
  }
  close(Number.POSITIVE_INFINITY)
  return parts
}

/** Parts of a bundle as parts of the files that it is made of, by its source map. */
function inSources(bundle: string, parts: readonly Part[]): [file: string, part: Part][] {
  const [, encoded] = /sourceMappingURL=data:application\/json;[^,]*base64,(\S+)\s*$/.exec(bundle)!
  const map = new SourceMap(JSON.parse(Buffer.from(encoded!, 'base64').toString()) as SourceMapPayload)
  const lines = lineStartsOf(bundle)
  const originals = new Map<string, number[]>()
  let line = 0
  // Parts come in their order.
  const find = (offset: number): { file: string; at: number } | null => {
    while (lines[line + 1]! <= offset) line += 1
    const entry = map.findEntry(line, offset - lines[line]!)
    const file = inRepository(('originalSource' in entry && entry.originalSource) || '')
    if (!('originalSource' in entry) || !PRODUCT.test(file)) return null
    const starts = originals.get(file) ?? lineStartsOf(readFileSync(join(REPOSITORY, file), 'utf8'))
    originals.set(file, starts)
    return { file, at: starts[entry.originalLine]! + entry.originalColumn }
  }
  return parts.flatMap(([start, end]) => {
    const [from, to] = [find(start), find(end)]
    return from && to && from.file === to.file && from.at < to.at ? [[from.file, [from.at, to.at]]] : []
  })
}

const lineStartsOf = (text: string): number[] => [
  0,
  ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1),
]

/** Where execution starts and ends in turn, over parts that may overlap. */
function edgesOf(parts: readonly Part[]): number[] {
  const edges: number[] = []
  for (const [start, end] of parts.toSorted((a, b) => a[0] - b[0])) {
    if (edges.length > 0 && start <= edges.at(-1)!) edges.push(Math.max(edges.pop()!, end))
    else edges.push(start, end)
  }
  return edges
}

/** Whether an offset lies in a part that was executed. */
export const isExecuted = (edges: readonly number[], offset: number): boolean =>
  edges.filter((edge) => edge <= offset).length % 2 === 1
