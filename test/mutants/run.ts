import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { postgresForChild, stopServers } from '#test/support/servers.ts'
import { nameOf } from './mutant.ts'
import { MUTANTS } from './mutants.ts'
import { HELP, LEAST_SCORE, readMutantOptions, UsageError, type MutantOptions } from './options.ts'
import { randomTrials } from './random.ts'
import { ScratchCopy } from './scratch-copy.ts'
import type { Trial } from './trial.ts'

async function main(): Promise<void> {
  const options = readMutantOptions(process.argv.slice(2))
  if (options === null) return console.log(HELP)
  const names = Array.from({ length: options.list ? 0 : options.jobs }, (_, job) => `job_${job}`)
  const environments: NodeJS.ProcessEnv[] = []
  for (const name of names) environments.push(await postgresForChild(name))
  const trials =
    options.random === null ? plantedTrials(options) : await randomTrials(options, environments[0] ?? {})
  if (trials.length === 0) throw new UsageError(`no mutant is named ${options.only.join(' or ')}`)
  if (options.list) return console.log(trials.map(({ name }) => name).join('\n'))
  const survivors = await tryAll(trials, environments)
  const score = (trials.length - survivors.length) / trials.length
  console.log(`\n${trials.length} mutants, ${trials.length - survivors.length} noticed: ${percent(score)}`)
  if (survivors.length > 0) console.log(`Survivors:\n${survivors.map(({ name }) => `  ${name}`).join('\n')}`)
  if (score < LEAST_SCORE[options.random === null ? 'planted' : 'random']) process.exitCode = 1
}

const plantedTrials = ({ only }: MutantOptions): Trial[] =>
  MUTANTS.filter((mutant) => only.length === 0 || only.some((text) => nameOf(mutant).includes(text))).map(
    (mutant) => ({
      name: nameOf(mutant),
      file: mutant.file,
      text: readFileSync(join(REPOSITORY, mutant.file), 'utf8').replace(
        mutant.find,
        () => mutant.replacement,
      ),
      tests: mutant.tests,
    }),
  )

/** Tries mutants, one at a time in each environment, and returns those that no test has noticed. */
async function tryAll(
  trials: readonly Trial[],
  environments: readonly NodeJS.ProcessEnv[],
): Promise<Trial[]> {
  const survivors: Trial[] = []
  const waiting = trials.entries()
  const work = async (env: NodeJS.ProcessEnv): Promise<void> => {
    const copy = new ScratchCopy(env)
    try {
      for (const [number, trial] of waiting) {
        const begun = performance.now()
        const notice = await copy.try(trial.file, trial.text, trial.tests)
        if (notice === null) survivors.push(trial)
        const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
        // Trouble of the machine is not to be taken for a mistake that was noticed.
        const by = notice === null ? '' : `, by ${notice.file}: ${notice.title.replaceAll(/\s+/g, ' ')}`
        console.log(
          `${number + 1}/${trials.length} ${notice ? 'noticed ' : 'SURVIVED'} ${seconds} s  ${trial.name}${by}`,
        )
      }
    } finally {
      copy.remove()
    }
  }
  await Promise.all(environments.map(work))
  return survivors
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

try {
  await main()
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(error.message)
  process.exitCode = 2
} finally {
  await stopServers()
}
