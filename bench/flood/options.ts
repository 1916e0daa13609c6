import { count, readArguments, UsageError } from '#local/commands/arguments.ts'

/** Who floods the service beside another person. */
export const FLOODERS = ['stranger', 'token', 'ten-tokens'] as const
export type Flooder = (typeof FLOODERS)[number]

/** How much is measured of more and more callers. */
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

/** How much is measured of another person beside floods. */
export interface BesideOptions {
  /** In this order. */
  by: Flooder[]
  /** Length of each flood, and of the floor. */
  seconds: number
  json: boolean
}

/** Seconds: the proof with which the other person lifts a halt is good for five minutes. */
const LONGEST_FLOOD = 240

export const HELP = `npm run bench:flood -- [options]

Has more and more callers send signals as fast as they are answered, with the limits of requests and of orders off: how many are
accepted and executed, how fast, how late their orders leave, and how the others are refused. Ratios are to the rate with 10
callers of the same run.

  --callers LIST   how many at once, in one step after the other (5,10,20,40,80,160)
  --seconds N      length of each step (10)
  --tokens N       access tokens that the callers share, 1 to 9 (1)
  --patient        a caller that was refused waits as long as Retry-After says, instead of sending the next signal at once
  --json           the figures as JSON

npm run bench:flood -- --by LIST [--seconds N] [--json]

Has somebody flood the service with all limits on, and measures another person beside it, who sends a signal, and sets and
lifts a halt, every second: how late they are answered, against the same person without any flood; what the flood takes of memory and disk;
and how soon after its end the other person is answered as before. The flood comes from a process of its own on this machine.

  --by LIST        ${FLOODERS.join(',')}, or all
                   stranger: queries of 7,800 pairs, addresses of 15 kB without a route, invented tokens, 250 a second of each,
                   and answers that are not read, 10 a second; ten-tokens: ten of one person. Each token sends valid signals of
                   63 kB, for half of the time as many as it may, then ten times as many
  --seconds N      length of each flood, at most ${LONGEST_FLOOD} (60)
  --json           the figures as JSON`

/** Reads the command line; null when help is asked for. Throws {@link UsageError}. */
export function readFloodOptions(args: string[]): FloodOptions | BesideOptions | null {
  const { help, json, by, seconds, ...steps } = readArguments({ args, options: OPTIONS }).values
  if (help) return null
  if (by !== undefined) {
    const others = Object.keys(steps).map((name) => `--${name}`)
    if (others.length > 0) throw new UsageError(`--by does not go together with ${others.join(', ')}`)
    return { by: floodersOf(by), seconds: count('seconds', seconds ?? '60', LONGEST_FLOOD), json }
  }
  const { callers = '5,10,20,40,80,160', tokens = '1', patient = false } = steps
  return {
    callers: callers.split(',').map((number) => count('callers', number)),
    seconds: count('seconds', seconds ?? '10'),
    tokens: count('tokens', tokens),
    isPatient: patient,
    json,
  }
}

function floodersOf(list: string): Flooder[] {
  if (list === 'all') return [...FLOODERS]
  const names = list.split(',')
  const unknown = names.filter((name) => !FLOODERS.some((flooder) => flooder === name))
  if (unknown.length > 0)
    throw new UsageError(`--by takes all, or some of ${FLOODERS.join(', ')}, not ${unknown.join(', ')}`)
  return FLOODERS.filter((flooder) => names.includes(flooder))
}

const OPTIONS = {
  by: { type: 'string' },
  callers: { type: 'string' },
  seconds: { type: 'string' },
  tokens: { type: 'string' },
  patient: { type: 'boolean' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const
