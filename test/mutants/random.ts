import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { Random } from '#test/chaos/random.ts'
import { readCoverage } from '#test/runner/coverage.ts'
import { Lane, startsProcesses } from '#test/runner/lanes.ts'
import { filesOfWholeRun } from '#test/runner/selections.ts'
import { CoveringTests } from './covering-tests.ts'
import type { MutantOptions } from './options.ts'
import { findPlaces, isReadable, mutated, type Place } from './places.ts'
import type { Trial } from './trial.ts'

/** A process that has loaded so many bytes of code and results is replaced. */
const MAX_HEAP = 1_000_000_000

/**
 * Changes of random places of the product, each with the tests that execute it. A script of our own in place of StrykerJS:
 * our files run without a build, and the SQL within them is to be changed too.
 */
export async function randomTrials(options: MutantOptions, env: NodeJS.ProcessEnv): Promise<Trial[]> {
  const { only } = options
  const places = choosePlaces(options).filter(
    (place) => only.length === 0 || only.some((text) => trialOf(place, []).name.includes(text)),
  )
  if (options.list) return places.map((place) => trialOf(place, []))
  const covering = new CoveringTests(await recordedFiles(options.tests, env))
  return places.map((place) => {
    const tests = covering.of(place)
    let seconds = 0
    const tried = tests.filter((test) => (seconds += test.seconds) <= options.most || test === tests[0])
    const { name, ...trial } = trialOf(
      place,
      tried.map(({ file }) => file),
    )
    return { ...trial, name: `${name} (${tried.length} of ${tests.length} test files)` }
  })
}

function choosePlaces({ random, seed }: MutantOptions): Place[] {
  const places = findPlaces()
  const chance = new Random(seed)
  const chosen: Place[] = []
  while (chosen.length < random! && places.length > 0) {
    const [place] = places.splice(chance.between(0, places.length - 1), 1)
    if (isReadable(place!)) chosen.push(place!)
  }
  return chosen
}

function trialOf(place: Place, tests: readonly string[]): Trial {
  const source = readFileSync(join(REPOSITORY, place.file), 'utf8')
  const text = mutated(source, place)
  const line = source.slice(0, place.start).split('\n').length
  // A short change is told with its line.
  const end = place.end - place.start < 20 ? source.indexOf('\n', place.end) : place.end
  const start = end === place.end ? place.start : source.lastIndexOf('\n', place.start - 1)
  const before = onOneLine(source.slice(start, end))
  const after = onOneLine(text.slice(start, end + text.length - source.length))
  return {
    name: `${place.file}:${line} ${place.operator}: ${before} → ${after === '' ? 'nothing' : after}`,
    file: place.file,
    text,
    tests,
  }
}

const onOneLine = (text: string): string => {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.length > 120 ? `${line.slice(0, 117)}...` : line
}

/** The test files that run by themselves, each with a record of what it executes; one that fails is left out. */
async function recordedFiles(paths: readonly string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const files = filesOfWholeRun().filter(
    (file) => paths.length === 0 || paths.some((path) => file.startsWith(path)),
  )
  const missing = files.filter((file) => !startsProcesses(file) && readCoverage(file) === null)
  const start = () => new Lane({ env: { ...env, RECORD_COVERAGE: '1', NODE_COMPILE_CACHE: undefined } })
  let lane = start()
  for (const [number, file] of missing.entries()) {
    const { result, heapUsed } = await lane.run(file)
    const [failure] = result.failures
    console.log(
      `recorded ${number + 1}/${missing.length} ${file}${failure ? `: failed, ${failure.title}` : ''}`,
    )
    if (heapUsed > MAX_HEAP) await lane.end()
    if (lane.hasEnded) lane = start()
  }
  await lane.end()
  return files.filter((file) => readCoverage(file) !== null)
}
