/**
 * `npm test` runs every test but those that have a name of their own (selections.ts), in lanes side by side.
 * `npm test -- NAME` runs those of a name, `npm test -- FILE...`, `npm test -- FOLDER` and
 * `npm test -- --grep "part of a title"` a selection in one process; every option of mocha can follow.
 */
import { spawn } from 'node:child_process'
import { globSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiledOnce } from '#local/servers/program-source.ts'
import { closingLine } from '#test/support/closing-line.ts'
import { endTestRun } from '#test/support/test-run.ts'
import { fetchTools, TOOL_NAMES, TOOLS } from '#test/support/tools.ts'
import { runInLanes } from './lanes.ts'
import { keepSeconds } from './last-run.ts'
import { clock, slowestTen } from './progress.ts'
import { EVERY_TEST, filesOfWholeRun, SELECTIONS, type Selection } from './selections.ts'

const MOCHA = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))
/** On two cores: most tests wait half of their time, for timers and servers. */
const LANES = 3

// Hundreds of processes load the same code; what comes from the cache is counted less exactly.
if (process.env['RECORD_COVERAGE'] === undefined)
  process.env['NODE_COMPILE_CACHE'] ??= compiledOnce().NODE_COMPILE_CACHE
const [name = '', ...options] = process.argv.slice(2)

async function runEverything(): Promise<void> {
  await fetchTools(TOOL_NAMES.filter((tool) => TOOLS[tool].run === 'test'))
  await endTestRun()
  await runTogether(filesOfWholeRun(), true)
}

/** Runs files in lanes, and says at the end which were slow and what failed. */
async function runTogether(files: readonly string[], isWhole: boolean): Promise<void> {
  const began = performance.now()
  const { passed, failures, skipped, leftOut, unsteady, seconds } = await runInLanes(files.toSorted(), LANES)
  const took = performance.now() - began
  keepSeconds(seconds, ...(isWhole ? [Math.round(took / 1_000)] : []))
  console.log(`\n  The slowest files\n${slowestTen(seconds)}`)
  for (const { file, title, error } of unsteady)
    console.log(`\n  UNSTEADY ${title}\n  in ${file}: failed beside other tests, passed alone\n\n${error}`)
  for (const { file, title, error } of failures)
    console.log(`\n  FAILED ${title}\n  in ${file}: ${error.split('\n')[0]}`)
  console.log(
    `\n  ${passed} passed, ${failures.length} failed, ${skipped} skipped, ${unsteady.length} unsteady in ${clock(took)} minutes`,
  )
  const line = closingLine(leftOut)
  if (line !== '') console.log(`\n${line}`)
  const tally = process.env['TALLY_FILE']
  if (tally)
    writeFileSync(
      tally,
      JSON.stringify({
        passed,
        failed: failures.length,
        failures: failures.map(({ file, title }) => `${title} (${file})`),
      }),
    )
  process.exitCode = failures.length === 0 ? 0 : 1
}

async function runNamed({ apart = [], shared = [], environment = {}, main }: Selection): Promise<void> {
  if (main !== undefined) return run([main, ...options], environment)
  const files = [...apart, ...shared].map(withoutFolder)
  if (options.length > 0) return run([MOCHA, ...files, ...options], environment)
  Object.assign(process.env, { ...environment, ...process.env })
  await runTogether(globSync(files), false)
}

function runFiles(): void {
  const given = [name, ...options]
  const namesTests = given.some((option) => /\.test\.ts$|^test\//.test(option))
  run([MOCHA, ...(namesTests ? [] : [EVERY_TEST]), ...given.map(withoutFolder)])
}

function run(args: string[], environment: Selection['environment'] = {}): void {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    stdio: 'inherit',
    env: { ...environment, ...process.env },
  })
  // An interrupt reaches both: mocha stops the servers of the run and ends by itself.
  process.on('SIGINT', () => {})
  child.on('exit', (code) => (process.exitCode = code ?? 1))
}

/** Mocha finds other files than ours in a folder. */
const withoutFolder = (path: string): string =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, '**/*.test.ts') : path

const named = SELECTIONS[name]
if (name === '') await runEverything()
else if (named) await runNamed(named)
else runFiles()
