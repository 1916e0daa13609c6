/**
 * One lane of the test run: a process that runs the test files it is given, one after another, and keeps the servers
 * of support/servers.ts between them. {@link runInLanes} starts it.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import Mocha from 'mocha'
import { leaveOutWithoutTools, takeLeftOut } from '#test/support/left-out.ts'
import { stopServers } from '#test/support/servers.ts'
import {
  END_OF_FILE,
  type Failure,
  type FileResult,
  type LaneMessage,
  type LaneRequest,
} from './lane-messages.ts'
import { startCoverage } from './coverage.ts'
import { watchForStandstill } from './standstill.ts'

const { timeout, slow }: { timeout: number; slow: number } = JSON.parse(readFileSync('.mocharc.json', 'utf8'))

/** Milliseconds; far beyond any test, and long before a time limit ends the run. */
const STANDSTILL = 60_000

const coverage = process.env['RECORD_COVERAGE'] === undefined ? undefined : startCoverage()
watchForStandstill(STANDSTILL)
leaveOutWithoutTools()
process.on('message', (request: LaneRequest) => void answer(request))
// A leftover of a test that has passed; mocha fails the one that runs where it can tell which that is.
process.on('unhandledRejection', (reason) =>
  console.error(`A promise was rejected, and nobody waited for it: ${textOf(reason)}`),
)
process.once('SIGINT', () => void end(130))
process.once('disconnect', () => void end(1))

async function answer(request: LaneRequest): Promise<void> {
  if ('end' in request) return end(0)
  const beganAt = performance.now()
  const result = await run(request.run, request.bail ?? false)
  if (result.failures.length === 0)
    await coverage?.keep(request.run, (performance.now() - beganAt) / 1_000).catch(console.error)
  console.log(`\n${END_OF_FILE}`)
  say({ done: result, heapUsed: process.memoryUsage().heapUsed })
}

async function run(file: string, bail: boolean): Promise<FileResult> {
  const mocha = new Mocha({ timeout, slow, bail, forbidOnly: true })
  mocha.addFile(resolve(file))
  const failures: Failure[] = []
  try {
    await mocha.loadFilesAsync()
  } catch (error) {
    console.log(error)
    const failure = { file, title: 'cannot be loaded', error: textOf(error) }
    say({ failed: failure })
    return { passed: 0, skipped: 0, leftOut: {}, failures: [failure] }
  }
  return new Promise((done) => {
    const runner = mocha.run(() => {
      const { passes, pending } = runner.stats!
      // Each runner hands a rejection that nobody waits for to all others that are left, and those to each other again.
      runner.dispose()
      done({ passed: passes, skipped: pending, leftOut: takeLeftOut(), failures })
    })
    runner.on('fail', (test, error) => {
      const failure = { file, title: test.fullTitle(), error: textOf(error) }
      failures.push(failure)
      say({ failed: failure })
    })
  })
}

const say = (message: LaneMessage): void => void process.send!(message)

async function end(code: number): Promise<void> {
  await stopServers()
  // oxlint-disable-next-line unicorn/no-process-exit -- a test's leftover must not keep the lane alive
  process.exit(code)
}

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
