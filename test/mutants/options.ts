import { parseArgs } from 'node:util'

/** What a run of mutation tests is to do. */
export interface MutantOptions {
  /** So many random changes in place of the planted mistakes; null for these. */
  random: number | null
  seed: number
  /** Mutants whose file or name contains one of these texts; all when there is none. */
  only: readonly string[]
  /** Test files whose paths begin so; all of `npm test` when there is none. */
  tests: readonly string[]
  /** Seconds of tests after which a random change counts as unnoticed. */
  most: number
  /** How many are tested at once, each in a copy of its own. */
  jobs: number
  /** Names the mutants and tests none. */
  list: boolean
}

/** Below these shares of noticed mutants a run fails. */
export const LEAST_SCORE = { random: 0.9, planted: 0.95 }

export const HELP = `npm test -- mutants [options]

Makes one mistake at a time in a copy of the tree and runs tests until one notices it. A mistake that none notices survives:
either a test is missing, or the line is not needed. Without --random the mistakes are those of test/mutants/: one or more for
each race of docs/build/one-exit.md, and others that no random change makes, each with the tests that have to notice it. With it they
are changes of random places of the product, and the tests are those of npm test that execute the place. Which these are, a
record says; what is missing of it is made first, and RECORD_COVERAGE=1 npm test makes the whole of it.
Ends with status 1 when less than ${LEAST_SCORE.planted * 100} % of the planted or ${LEAST_SCORE.random * 100} % of the random ones are noticed.

  --random N     N random changes
  --seed N       another seed makes other changes (1)
  --only TEXT    those whose file or name contains TEXT; may be given several times
  --tests PATH   test files whose paths begin so; may be given several times
  --most N       seconds of tests after which a random change counts as unnoticed (120)
  --jobs N       how many at once (1)
  --list         names the mutants and tests none`

/** Raised for arguments that cannot be used; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Reads the command line; null when help is asked for. Throws {@link UsageError}. */
export function readMutantOptions(args: string[]): MutantOptions | null {
  const { random, seed, most, jobs, help, ...rest } = readArguments(args)
  if (help) return null
  return {
    ...rest,
    random: random === undefined ? null : readNumber('random', random),
    seed: readNumber('seed', seed),
    most: readNumber('most', most),
    jobs: readNumber('jobs', jobs),
  }
}

function readNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError(`--${option} must be a number from 1, not ${text}`)
  return Number(text)
}

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        random: { type: 'string' },
        seed: { type: 'string', default: '1' },
        only: { type: 'string', multiple: true, default: [] },
        tests: { type: 'string', multiple: true, default: [] },
        most: { type: 'string', default: '120' },
        jobs: { type: 'string', default: '1' },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error })
  }
}
