/**
 * `npm test` runs every test but those that have a script of their own, and those of Prometheus where its programs are not
 * there, in three lanes side by side, of which one takes the tests of the whole service first. `npm test -- FILE...`, `npm test -- FOLDER` and `npm test -- --grep "part of a title"` run a
 * selection in one process; every option of mocha can follow.
 */
import { spawn } from 'node:child_process'
import { globSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findOnPath } from '#local/servers/program-source.ts'
import { AMTOOL, PROMETHEUS, PROMTOOL } from '#test/support/go-program.ts'
import { runInLanes } from './lanes.ts'

const MOCHA = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'))
const EVERY_TEST = 'test/**/*.test.ts'
/** A browser on the whole service takes half an hour more, `npm run test:web`; waiting for outages to be noticed, a disk that fills up, clocks that are wrong, runbooks that are played through, manual orders whose process stops, workflows that loop, roll-outs, a move to a cluster and the recovery of one, programs of a cluster that have to be built, and bugs planted into a worker, `npm run test:faults`; the installation of the release before, minutes, `npm run test:update`; a build of helm, minutes, `npm run test:chart`. */
const WITH_A_SCRIPT_OF_THEIR_OWN = [
  'test/web/pages/',
  'test/system/readiness',
  'test/system/full-disk',
  'test/system/wrong-clock',
  'test/system/looping-workflow',
  'test/system/roll-out',
  'test/system/move-to-cluster',
  'test/system/recovered-cluster',
  'test/system/flood',
  'test/bench/floods-of-others',
  'test/system/played-runbooks/',
  'test/system/manual-order-failpoints',
  'test/system/restored',
  'test/deploy/chart',
  'test/local/cluster/temporal-ui',
  'test/local/release/update',
  'test/planted-bugs/oracle-power',
]
/** A minute in all with the programs of Prometheus on the PATH; to build them takes nine, `npm run test:rules`. */
const WITH_PROMETHEUS = ['test/deploy/alert-rules', 'test/deploy/dashboard']
/** On two cores: most tests wait half of their time, for timers and servers. */
const LANES = 3

const options = process.argv.slice(2)

async function runEverything(): Promise<void> {
  const hasPrometheus = [PROMETHEUS, PROMTOOL, AMTOOL].every(({ name }) => findOnPath(name))
  const leftOut = [...WITH_A_SCRIPT_OF_THEIR_OWN, ...(hasPrometheus ? [] : WITH_PROMETHEUS)]
  const files = globSync(EVERY_TEST).filter((file) => !leftOut.some((path) => file.startsWith(path)))
  const { passed, failures, skipped, unsteady } = await runInLanes(files.toSorted(), LANES)
  for (const { file, title, error } of unsteady)
    console.log(`\n  UNSTEADY ${title}\n  in ${file}: failed beside other tests, passed alone\n\n${error}`)
  for (const { file, title, error } of failures) console.log(`\n  FAILED ${title}\n  in ${file}\n\n${error}`)
  console.log(
    `\n  ${passed} passed, ${failures.length} failed, ${skipped} skipped, ${unsteady.length} unsteady`,
  )
  const tally = process.env['TALLY_FILE']
  if (tally)
    writeFileSync(
      tally,
      JSON.stringify({ passed, failed: failures.length, skipped, unsteady: unsteady.length }),
    )
  process.exitCode = failures.length === 0 ? 0 : 1
}

function runSelection(): void {
  const namesTests = options.some((option) => /\.test\.ts$|^test\//.test(option))
  const files = namesTests ? [] : [EVERY_TEST]
  const selection = options.map((option) => (isFolder(option) ? `${option}/**/*.test.ts` : option))
  const mocha = spawn(process.execPath, [MOCHA, ...files, ...selection], { stdio: 'inherit' })
  // An interrupt reaches both: mocha stops the servers of the run and ends by itself.
  process.on('SIGINT', () => {})
  mocha.on('exit', (code) => (process.exitCode = code ?? 1))
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

if (options.length === 0) await runEverything()
else runSelection()
