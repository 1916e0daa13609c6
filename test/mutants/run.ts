import { nameOf, type Mutant } from './mutant.ts'
import { MUTANTS } from './mutants.ts'
import { HELP, LEAST_SCORE, readMutantOptions, UsageError } from './options.ts'
import { ScratchCopy, type TestEnd } from './scratch-copy.ts'

async function main(): Promise<void> {
  const options = readMutantOptions(process.argv.slice(2))
  if (options === null) return console.log(HELP)
  const { only } = options
  const chosen = MUTANTS.filter(
    (mutant) => only.length === 0 || only.some((text) => nameOf(mutant).includes(text)),
  )
  if (chosen.length === 0) throw new UsageError(`no mutant is named ${only.join(' or ')}`)
  if (options.list) return console.log(chosen.map(nameOf).join('\n'))
  const survivors = await tryAll(chosen, options.jobs)
  const score = (chosen.length - survivors.length) / chosen.length
  console.log(`\n${chosen.length} mutants, ${chosen.length - survivors.length} noticed: ${percent(score)}`)
  if (survivors.length > 0)
    console.log(`Survivors:\n${survivors.map((one) => `  ${nameOf(one)}`).join('\n')}`)
  if (score < LEAST_SCORE) process.exitCode = 1
}

/** Tries mutants, so many at once, and returns those that no test has noticed. */
async function tryAll(mutants: readonly Mutant[], jobs: number): Promise<Mutant[]> {
  const copies = Array.from({ length: Math.min(jobs, mutants.length) }, () => new ScratchCopy())
  try {
    await assertSound(copies[0]!, mutants)
    const survivors: Mutant[] = []
    const waiting = mutants.entries()
    const work = async (copy: ScratchCopy): Promise<void> => {
      for (const [number, mutant] of waiting) {
        const begun = performance.now()
        let output = ''
        const end = await copy.try(mutant, (text) => (output += text))
        if (end === 'passed') survivors.push(mutant)
        const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
        const by = end === 'failed' ? `, by: ${firstFailure(output)}` : ''
        console.log(`${number + 1}/${mutants.length} ${VERDICT[end]} ${seconds} s  ${nameOf(mutant)}${by}`)
      }
    }
    await Promise.all(copies.map(work))
    return survivors
  } finally {
    for (const copy of copies) copy.remove()
  }
}

const VERDICT: Record<TestEnd, string> = {
  passed: 'SURVIVED',
  failed: 'noticed ',
  'timed out': 'noticed ',
}

/** The test that failed first, as Mocha names it: trouble of the machine is not to be taken for a mistake that was noticed. */
const firstFailure = (output: string): string =>
  / {2}1\) ([^]+?):$/m.exec(output)?.[1]?.replaceAll(/\s+/g, ' ') ?? 'no test'

/** A test that fails without a mutant would seem to notice each. */
async function assertSound(copy: ScratchCopy, mutants: readonly Mutant[]): Promise<void> {
  const files = [...new Set(mutants.flatMap(({ tests }) => tests))]
  console.log(`${files.length} test files without a mutant, then ${mutants.length} mutants`)
  let output = ''
  const end = await copy.test(files, (text) => (output += text))
  if (end !== 'passed') throw new UsageError(`the tests fail without a mutant:\n${output}`)
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

try {
  await main()
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(error.message)
  process.exitCode = 2
}
