/**
 * `npm run ci`: all that must hold before a change is merged, within 35 minutes on two cores; `.ci/run` installs the packages
 * and calls it. The last line is "N passed, N failed": every mocha test and every other guard counts as one. A test whose program
 * is missing fails. The exit code is 0 only when nothing failed.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clock } from './progress.ts'
import { LONG_FORMS } from './selections.ts'

const MINUTE = 60_000
const total = { passed: 0, failed: 0 }
/** What a person looks for in the last lines of a long report. */
const failures: string[] = []
const beganAt = performance.now()
const folder = mkdtempSync(join(tmpdir(), 'durable-trader-ci-'))
Object.assign(process.env, { CI: 'true', NO_COLOR: '1', NO_UPDATE_NOTIFIER: '1' })
delete process.env['FORCE_COLOR']

try {
  await guard('Types', 5, 'run', 'types')
  await guard('Lint', 5, 'run', 'lint')
  await guard('Format', 5, 'run', 'format:check')
  await audit()
  await guard('Tools', 40, 'test', '--', 'tools')
  await tests('Tests', 20, 'test')
  for (const { name, minutes, options = [] } of LONG_FORMS)
    await tests(name, minutes, 'test', '--', name, ...options)
  // Behind the tests, whose seconds it shows.
  await guard('Size', 5, 'run', 'size')
} finally {
  rmSync(folder, { recursive: true })
}
console.log(`\n${clock(performance.now() - beganAt)} minutes`)
for (const failure of failures) console.log(`FAILED ${failure}`)
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1

/** One check that passes or fails as a whole. */
async function guard(name: string, minutes: number, ...npm: string[]): Promise<void> {
  const code = await run(name, minutes, npm)
  close(name, code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }, code)
}

/** Tests that count each for themselves; a run that died before it could count is one failure. */
async function tests(name: string, minutes: number, ...npm: string[]): Promise<void> {
  const tally = join(folder, `${name}.json`)
  const code = await run(name, minutes, npm, { TALLY_FILE: tally })
  let counts = { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 }
  try {
    const told = JSON.parse(readFileSync(tally, 'utf8')) as typeof counts & { failures: string[] }
    failures.push(...told.failures.map((failure) => `${name}: ${failure}`))
    counts = { passed: told.passed, failed: told.failed }
    if (code !== 0 && counts.failed === 0) counts.failed = 1
  } catch {
    // A program of its own, or a run that died, which its exit code tells.
  }
  close(name, counts, code)
}

/** `npm audit` ends with 1 both for a vulnerable package and for a registry that has no audit service. */
async function audit(): Promise<void> {
  let report = ''
  await run(
    'Audit',
    1,
    ['audit', '--omit=dev', '--audit-level=high', '--json'],
    {},
    (text) => (report += text),
  )
  let counts: { high: number; critical: number } | undefined
  try {
    counts = JSON.parse(report).metadata?.vulnerabilities
  } catch {
    // Reported below.
  }
  if (!counts) return console.log('== Audit: not counted, the audit service cannot be reached from here')
  const bad = counts.high + counts.critical
  if (bad > 0) console.log(report)
  close('Audit', bad > 0 ? { passed: 0, failed: 1 } : { passed: 1, failed: 0 }, bad)
}

function close(name: string, { passed, failed }: typeof total, code: number | null): void {
  total.passed += passed
  total.failed += failed
  if (failed > 0 && !failures.some((failure) => failure.startsWith(`${name}: `)))
    failures.push(`${name}: exit code ${code}`)
  const verdict = failed === 0 ? 'passed' : 'FAILED'
  console.log(
    `== ${name}: ${verdict}, ${passed} passed, ${failed} failed, exit code ${code}, at ${clock(performance.now() - beganAt)}`,
  )
}

/** Runs npm to its end, or ends it by an interrupt, on which tests stop their servers, and half a minute later by force. */
function run(
  name: string,
  minutes: number,
  npm: readonly string[],
  environment: Record<string, string> = {},
  read?: (text: string) => void,
): Promise<number | null> {
  console.log(`\n== ${name}`)
  const child = spawn('npm', ['--silent', ...npm], {
    detached: true,
    stdio: ['ignore', read ? 'pipe' : 'inherit', 'inherit'],
    env: { ...process.env, ...environment },
  })
  child.stdout?.setEncoding('utf8').on('data', (text: string) => read?.(text))
  const end = (signal: NodeJS.Signals): void => void process.kill(-child.pid!, signal)
  let forced: NodeJS.Timeout | undefined
  const late = setTimeout(() => {
    console.log(`${name} took longer than ${minutes} minutes`)
    end('SIGINT')
    forced = setTimeout(() => end('SIGKILL'), MINUTE / 2)
  }, minutes * MINUTE)
  const interrupted = (): void => end('SIGINT')
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(late)
      clearTimeout(forced)
      process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
      resolve(code)
    })
  })
}
