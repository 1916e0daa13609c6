import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { Session, type Profiler } from 'node:inspector/promises'
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

const PRODUCT = /^(domain|activities|workflows|db|api|worker|brokers)\/.*\.ts$/
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
  const session = new Session()
  session.connect()
  const begun = session
    .post('Profiler.enable')
    .then(() => session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true }))
  return {
    async keep(testFile, seconds) {
      await begun
      const { result } = await session.post('Profiler.takePreciseCoverage')
      const executed: Coverage['executed'] = {}
      for (const { url, functions } of result) {
        const file = url.startsWith('file:') ? fileURLToPath(url).slice(REPOSITORY.length + 1) : ''
        if (!PRODUCT.test(file)) continue
        const edges = edgesOf(functions)
        if (edges.length > 0) executed[file] = { digest: digestOf(file), edges }
      }
      const path = pathOf(testFile)
      mkdirSync(join(path, '..'), { recursive: true })
      const coverage: Coverage = { digest: digestOf(testFile), seconds, executed }
      writeFileSync(`${path}.new`, JSON.stringify(coverage))
      renameSync(`${path}.new`, path)
    },
  }
}

/** Where execution starts and ends: the innermost of the nested ranges counts. The file's own range, which is always there, is left out. */
function edgesOf(functions: readonly Profiler.FunctionCoverage[]): number[] {
  const ranges = functions
    .flatMap(({ ranges: [own, ...inner] }) => (own!.startOffset === 0 ? inner : [own!, ...inner]))
    .toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)
  const edges: number[] = []
  const open: Profiler.CoverageRange[] = []
  const turn = (at: number): void => {
    const runs = (open.at(-1)?.count ?? 0) > 0
    if (edges.at(-1) === at) edges.pop()
    if (runs !== (edges.length % 2 === 1)) edges.push(at)
  }
  const close = (before: number): void => {
    while (open.length > 0 && open.at(-1)!.endOffset <= before) turn(open.pop()!.endOffset)
  }
  for (const range of ranges) {
    close(range.startOffset)
    open.push(range)
    turn(range.startOffset)
  }
  close(Number.POSITIVE_INFINITY)
  return edges
}

/** Whether an offset lies in a part that was executed. */
export const isExecuted = (edges: readonly number[], offset: number): boolean =>
  edges.filter((edge) => edge <= offset).length % 2 === 1
