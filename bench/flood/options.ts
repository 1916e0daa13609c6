import { count, readArguments } from '#local/commands/arguments.ts'

/** How much is measured. */
export interface FloodOptions {
  /** How many callers send at once, in one step after the other. */
  callers: number[]
  /** Length of each step. */
  seconds: number
  /** Access tokens that the callers share. */
  tokens: number
  /** A caller that was refused waits as long as it was told; otherwise it sends the next signal at once. */
  isPatient: boolean
  /** Prints the figures as JSON instead of a table. */
  json: boolean
}

export const HELP = `npm run bench:flood -- [options]

Has more and more callers send signals as fast as they are answered, with the limits of requests and of orders off: how many are
accepted and executed, how fast, how late their orders leave, and how the others are refused. Ratios are to the rate with 10
callers of the same run.

  --callers LIST   how many at once, in one step after the other (5,10,20,40,80,160)
  --seconds N      length of each step (10)
  --tokens N       access tokens that the callers share, 1 to 9 (1)
  --patient        a caller that was refused waits as long as Retry-After says, instead of sending the next signal at once
  --json           the figures as JSON`

/** Reads the command line; null when help is asked for. Throws {@link UsageError}. */
export function readFloodOptions(args: string[]): FloodOptions | null {
  const { help, json, patient, callers, seconds, tokens } = readArguments({ args, options: OPTIONS }).values
  if (help) return null
  return {
    callers: callers.split(',').map((number) => count('callers', number)),
    seconds: count('seconds', seconds),
    tokens: count('tokens', tokens),
    isPatient: patient,
    json,
  }
}

const OPTIONS = {
  callers: { type: 'string', default: '5,10,20,40,80,160' },
  seconds: { type: 'string', default: '10' },
  tokens: { type: 'string', default: '1' },
  patient: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const
