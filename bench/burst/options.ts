import { count, readArguments } from '#local/commands/arguments.ts'

/** How much is measured. */
export interface BurstOptions {
  /** Scheduled signals that are due in the same second. */
  signals: number
  /** Exits that are due while the entries of the burst go out. */
  exits: number
  /** Prints the figures as JSON instead of a table. */
  json: boolean
}

export const HELP = `npm run bench:burst -- [options]

Has many scheduled signals become due in the same second, and a few exits meanwhile: when does the first order leave, at
which rate do the others follow, and how late are the exits? Of the burst itself a third has an exit at once, and a third one
that is waited for. Beside the rate stands that of the smallest workflow on the
same Temporal server. Takes two to three minutes.

  --signals N    scheduled signals that are due in the same second (1000)
  --exits N      exits that are due while their entries go out (10); without any, it takes a minute less
  --json         the figures as JSON`

/** Reads the command line; null when help is asked for. Throws {@link UsageError}. */
export function readBurstOptions(args: string[]): BurstOptions | null {
  const { help, json, signals, exits } = readArguments({ args, options: OPTIONS }).values
  return help
    ? null
    : { signals: count('signals', signals), exits: exits === '0' ? 0 : count('exits', exits), json }
}

const OPTIONS = {
  signals: { type: 'string', default: '1000' },
  exits: { type: 'string', default: '10' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const
