import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LeftOut } from '#test/support/left-out.ts'
import {
  END_OF_FILE,
  type Failure,
  type FileResult,
  type LaneMessage,
  type LaneRequest,
} from './lane-messages.ts'
import { secondsOfFiles } from './last-run.ts'
import { Progress } from './progress.ts'

const LANE = fileURLToPath(new URL('lane.ts', import.meta.url))

/** A file that names one of these starts processes that need a core: the whole service, an installation, a browser. */
const STARTS_PROCESSES = /\b(useStack|Stack\.start|LocalInstallation|useApp)\b/

/** Tests that make up their own course of events: one that fails has found a fault, and passes the next time. */
const MAKES_UP_EVENTS = /\btest\/(chaos|lives|races)\//
/** More files than these do not fail by chance, nor because the machine was slow for some minutes. */
const MAX_REPEATED = 12

/** A process that holds more bytes after a file is replaced: collecting garbage takes the time of the tests after it. */
const MAX_HEAP = 1_000_000_000

/** The outcome of all files, the failures of files that passed when they were run again, and how long each file took. */
export type RunResult = FileResult & { unsteady: Failure[]; seconds: Record<string, number> }

/**
 * Runs test files in several processes side by side, each with servers of its own. It prints a failure as it comes, a line
 * for each file, and the whole report of a file that failed. A process that ends in the midst of a file counts as one failure
 * of that file and is replaced. When no more than {@link MAX_REPEATED} files have failed, these run once more with nothing
 * beside them: a test that passes then is named as unsteady.
 */
export async function runInLanes(files: readonly string[], lanes: number): Promise<RunResult> {
  const progress = new Progress(files.length)
  const results = await runSideBySide(files, lanes, progress)
  const failed = [...results].filter(([, { failures }]) => failures.length > 0).map(([file]) => file)
  const again = failed.length > MAX_REPEATED ? [] : failed.filter((file) => !MAKES_UP_EVENTS.test(file))
  const unsteady: Failure[] = []
  if (again.length > 0) {
    console.log(`\n  Once more, with nothing beside it: ${again.join(', ')}\n`)
    for (const [file, result] of await runSideBySide(again, 1, new Progress(again.length))) {
      if (result.failures.length === 0) unsteady.push(...results.get(file)!.failures)
      results.set(file, result)
    }
  }
  const outcomes = [...results.values()]
  return {
    passed: sum(outcomes.map(({ passed }) => passed)),
    skipped: sum(outcomes.map(({ skipped }) => skipped)),
    leftOut: together(outcomes.map(({ leftOut }) => leftOut)),
    failures: outcomes.flatMap(({ failures }) => failures),
    unsteady,
    seconds: progress.seconds,
  }
}

async function runSideBySide(
  files: readonly string[],
  lanes: number,
  progress: Progress,
): Promise<Map<string, FileResult>> {
  const results = new Map<string, FileResult>()
  const known = secondsOfFiles()
  const longestFirst = files.toSorted((one, other) => (known[other] ?? 0) - (known[one] ?? 0))
  const heavy = longestFirst.filter(startsProcesses)
  const light = longestFirst.filter((file) => !startsProcesses(file))
  const work = async (queues: string[][]): Promise<void> => {
    let lane = new Lane()
    for (let file = takeFirst(queues); file !== undefined; file = takeFirst(queues)) {
      const ended = progress.begin(file)
      const { output, result, heapUsed } = await lane.run(file, { onFailure: progress.failed })
      results.set(file, result)
      ended(result, output)
      if (heapUsed > MAX_HEAP) {
        console.log(`  The process that ran it holds ${Math.round(heapUsed / 1e6)} MB, and is replaced`)
        await lane.end()
      }
      if (lane.hasEnded) lane = new Lane()
    }
    await lane.end()
  }
  // The first lane begins with what starts processes, the others with the rest: two cores carry one whole service at a time.
  const queuesOf = (lane: number): string[][] => (lane === 0 ? [heavy, light] : [light, heavy])
  await Promise.all(Array.from({ length: lanes }, (_, lane) => work(queuesOf(lane))))
  return results
}

/** Starts the whole service, an installation or a browser. */
export const startsProcesses = (file: string): boolean => STARTS_PROCESSES.test(readFileSync(file, 'utf8'))

const takeFirst = (queues: string[][]): string | undefined =>
  queues.find((queue) => queue.length > 0)?.shift()

const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0)

function together(counts: readonly LeftOut[]): LeftOut {
  const total: Record<string, number> = {}
  for (const [tool, count] of counts.flatMap(Object.entries<number>)) total[tool] = (total[tool] ?? 0) + count
  return total
}

/** A process that runs test files, of this repository or of a copy of it. */
export class Lane {
  /** The process has ended and everything that it printed has been read. */
  hasEnded = false
  readonly #process: ChildProcess
  readonly #ended: Promise<void>
  #output = ''
  #wakeReader = () => {}

  constructor({ folder, env = {} }: { folder?: string; env?: NodeJS.ProcessEnv } = {}) {
    this.#process = fork(folder === undefined ? LANE : join(folder, 'test/runner/lane.ts'), {
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      cwd: folder,
      env: { ...process.env, ...env },
      // A group of its own, to end it with all that it has started.
      detached: folder !== undefined,
    })
    this.#ended = this.#untilClosed()
    for (const stream of [this.#process.stdout!, this.#process.stderr!]) {
      stream.setEncoding('utf8')
      stream.on('data', (text: string) => {
        this.#output += text
        this.#wakeReader()
      })
    }
  }

  /** Runs one file; resolves with its report and its outcome when the process ended, too. */
  async run(
    file: string,
    { onFailure = () => {}, bail = false }: { onFailure?: (failure: Failure) => void; bail?: boolean } = {},
  ): Promise<{ output: string; result: FileResult; heapUsed: number }> {
    let wake = (): void => {}
    let answer: Extract<LaneMessage, { done: FileResult }> | undefined
    const answered = new Promise<void>((resolve) => (wake = resolve))
    const read = (message: LaneMessage): void => {
      if ('failed' in message) return onFailure(message.failed)
      answer = message
      wake()
    }
    this.#process.on('message', read)
    this.#ask({ run: file, bail })
    const output = await this.#readReport()
    if (!this.hasEnded && !answer) await Promise.race([answered, this.#ended])
    this.#process.off('message', read)
    if (answer) return { output, result: answer.done, heapUsed: answer.heapUsed }
    const error = `Its process ended (exit code ${this.#process.exitCode}, signal ${this.#process.signalCode}).`
    const failure = { file, title: `${file} did not end`, error }
    onFailure(failure)
    return { output, result: { passed: 0, skipped: 0, leftOut: {}, failures: [failure] }, heapUsed: 0 }
  }

  /** Ends the process of a copy on the spot, with whatever it has started. */
  kill(): void {
    process.kill(-this.#process.pid!, 'SIGKILL')
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
