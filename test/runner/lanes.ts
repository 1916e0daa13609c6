import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { LeftOut } from '#test/support/left-out.ts'
import {
  END_OF_FILE,
  type Failure,
  type FileResult,
  type LaneAnswer,
  type LaneRequest,
} from './lane-messages.ts'

const LANE = fileURLToPath(new URL('lane.ts', import.meta.url))
/**
 * Paths of tests that start the whole service. The first lane takes them, and the second every third of them before anything
 * else, and again once nothing else is left: so no more than two run at a time, and no lane has nothing to do while they end.
 */
const WHOLE_SERVICE = [
  'test/chaos/',
  'test/deploy/dashboard',
  'test/system/',
  'test/local/start',
  'test/local/readme',
  'test/local/supervision',
  'test/planted-bugs/',
  'test/races/',
  'test/odd-lives/',
  'test/stories/',
  'test/tradingview/tradingview',
  'test/bench/',
]
/** One of so many of them is the second lane's. */
const SHARED = 3
/** Paths of tests of a browser: they come last, in whichever process has nothing else to do. */
const BROWSER = ['test/web/']

/** Paths of tests that make up their own course of events: one that fails has found something, and passes the next time. */
const RANDOM = ['test/chaos/', 'test/odd-lives/', 'test/races/']
/** More files than these do not fail by chance. */
const MAX_REPEATED = 5

/** A process that holds more bytes after a file is replaced: collecting garbage takes the time of the tests after it. */
const MAX_HEAP = 1_000_000_000

/** The outcome of all files, and the failures of files that passed when they were run again. */
export type RunResult = FileResult & { unsteady: Failure[] }

/**
 * Runs test files in several processes side by side, each with servers of its own, and prints the report of each file
 * as a whole. A process that ends in the midst of a file counts as one failure of that file and is replaced. When no more
 * than {@link MAX_REPEATED} files have failed, these run once more with nothing beside them: a test that passes then was
 * short of processor time, and is told as unsteady. Tests of random courses get no second run.
 */
export async function runInLanes(files: string[], lanes: number): Promise<RunResult> {
  const results = await runSideBySide(files, lanes)
  const failed = [...results].filter(([, { failures }]) => failures.length > 0).map(([file]) => file)
  const unsteady: Failure[] = []
  if (failed.length <= MAX_REPEATED)
    for (const [file, again] of await runSideBySide(failed.filter(isRepeatable), 1)) {
      if (again.failures.length === 0) unsteady.push(...results.get(file)!.failures)
      results.set(file, again)
    }
  const outcomes = [...results.values()]
  return {
    passed: sum(outcomes.map(({ passed }) => passed)),
    skipped: sum(outcomes.map(({ skipped }) => skipped)),
    leftOut: together(outcomes.map(({ leftOut }) => leftOut)),
    failures: outcomes.flatMap(({ failures }) => failures),
    unsteady,
  }
}

async function runSideBySide(files: string[], lanes: number): Promise<Map<string, FileResult>> {
  const results = new Map<string, FileResult>()
  if (files.length === 0) return results
  const whole = files.filter(isIn(WHOLE_SERVICE))
  const [heavy, shared, browser, light] = [
    whole.filter((_, place) => place % SHARED !== SHARED - 1),
    whole.filter((_, place) => place % SHARED === SHARED - 1),
    files.filter(isIn(BROWSER)),
    files.filter(isLight),
  ]
  const work = async (queues: string[][]) => {
    let lane = new Lane()
    for (let file = takeFirst(queues); file !== undefined; file = takeFirst(queues)) {
      const beganAt = performance.now()
      const { output, result, heapUsed } = await lane.run(file)
      process.stdout.write(output)
      results.set(file, result)
      const seconds = Math.round((performance.now() - beganAt) / 1000)
      console.log(`  ${file}: ${seconds} s, ${results.size} of ${files.length} files done`)
      if (heapUsed > MAX_HEAP) {
        console.log(`  The process that ran it holds ${Math.round(heapUsed / 1e6)} MB, and is replaced`)
        await lane.end()
      }
      if (lane.hasEnded) lane = new Lane()
    }
    await lane.end()
  }
  const queuesOf = (lane: number): string[][] => {
    if (lane === 0) return [heavy, shared, browser, light]
    return lane === 1 ? [shared, light, browser, heavy] : [light, browser]
  }
  await Promise.all(Array.from({ length: lanes }, (_, lane) => work(queuesOf(lane))))
  return results
}

const isIn = (paths: string[]) => (file: string) => paths.some((path) => file.startsWith(path))
const isRepeatable = (file: string): boolean => !isIn(RANDOM)(file)
const isLight = (file: string): boolean => !isIn([...WHOLE_SERVICE, ...BROWSER])(file)

const takeFirst = (queues: string[][]): string | undefined =>
  queues.find((queue) => queue.length > 0)?.shift()

const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0)

function together(counts: readonly LeftOut[]): LeftOut {
  const total: Record<string, number> = {}
  for (const [tool, count] of counts.flatMap(Object.entries<number>)) total[tool] = (total[tool] ?? 0) + count
  return total
}

class Lane {
  /** The process has ended and everything that it printed has been read. */
  hasEnded = false
  readonly #process: ChildProcess
  readonly #ended: Promise<void>
  #output = ''
  #wakeReader = () => {}

  constructor() {
    this.#process = fork(LANE, { execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
    this.#ended = this.#untilClosed()
    for (const stream of [this.#process.stdout!, this.#process.stderr!]) {
      stream.setEncoding('utf8')
      stream.on('data', (text: string) => {
        this.#output += text
        this.#wakeReader()
      })
    }
  }

  /** Runs one file; resolves with its report and what came of it when the process ended, too. */
  async run(file: string): Promise<{ output: string; result: FileResult; heapUsed: number }> {
    let answer: LaneAnswer | undefined
    this.#process.once('message', (given: LaneAnswer) => (answer = given))
    this.#ask({ run: file })
    const output = await this.#readReport()
    if (!this.hasEnded && !answer) await Promise.race([once(this.#process, 'message'), this.#ended])
    const error = `Its process ended (exit code ${this.#process.exitCode}, signal ${this.#process.signalCode}).`
    const failures = [{ file, title: `${file} did not end`, error }]
    const lost = { passed: 0, skipped: 0, leftOut: {}, failures }
    const { heapUsed, ...result } = answer ?? { ...lost, heapUsed: 0 }
    return { output, result, heapUsed }
  }

  async end(): Promise<void> {
    if (!this.hasEnded) this.#ask({ end: true })
    await this.#ended
  }

  async #untilClosed(): Promise<void> {
    await once(this.#process, 'close')
    this.hasEnded = true
    this.#wakeReader()
  }

  #ask(request: LaneRequest): void {
    this.#process.send(request)
  }

  async #readReport(): Promise<string> {
    for (;;) {
      const end = this.#output.indexOf(END_OF_FILE)
      if (end !== -1 || this.hasEnded) {
        const report = end === -1 ? this.#output : this.#output.slice(0, end)
        this.#output = end === -1 ? '' : this.#output.slice(end + END_OF_FILE.length)
        return report
      }
      await new Promise<void>((wake) => (this.#wakeReader = wake))
    }
  }
}
