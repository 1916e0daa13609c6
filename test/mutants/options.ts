import { parseArgs } from 'node:util'

/** What a run of mutation tests is to do. */
export interface MutantOptions {
  /** Mutants whose file or name contains one of these texts; all when there is none. */
  only: readonly string[]
  /** How many are tested at once, each in a copy of its own. */
  jobs: number
  /** Names the mutants and tests none. */
  list: boolean
}

/** Below this share of mutants that a test notices the run fails. */
export const LEAST_SCORE = 0.95

export const HELP = `npm test -- mutants [options]

Changes one line of the money path at a time, in a copy of the tree, and runs the tests that have to notice it. A mutant
that no test notices survives: either a test is missing, or the line is not needed. Ends with status 1 when less than
${LEAST_SCORE * 100} % are noticed. The mutants stand in test/mutants/, by their subjects.

  --only TEXT    mutants whose file or name contains TEXT; may be given several times
  --jobs N       how many at once (2)
  --list         names the mutants and tests none`

/** Raised for arguments that cannot be used; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Reads the command line; null when help is asked for. Throws {@link UsageError}. */
export function readMutantOptions(args: string[]): MutantOptions | null {
  const { only, jobs, list, help } = readArguments(args)
  if (help) return null
  if (!/^[1-9]\d?$/.test(jobs)) throw new UsageError(`--jobs must be a number from 1 to 99, not ${jobs}`)
  return { only, jobs: Number(jobs), list }
}

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        only: { type: 'string', multiple: true, default: [] },
        jobs: { type: 'string', default: '2' },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error })
  }
}
