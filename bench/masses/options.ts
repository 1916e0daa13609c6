import { count, readArguments } from '#local/commands/arguments.ts'

/** How much is measured. */
export interface MassesOptions {
  /** Signals that wait for their time. */
  waiting: number
  /** Signals that are sent at once, before and after. */
  signals: number
  /** Prints the figures as JSON instead of a table. */
  json: boolean
}

export const HELP = `npm run bench:masses -- [options]

Has many signals wait for their time, each in the ledger and with a workflow in Temporal, posted as any other: what does a
signal that is sent at once take beside them, how much memory do the workers take, and how soon does a worker work that is
killed in the midst? Takes a minute for each four thousand or so, and a minute besides.

  --waiting N    signals that wait (2000)
  --signals N    signals that are sent at once, one after another, before and after (100)
  --json         the figures as JSON`

/** Reads the command line; null when help is asked for. Throws {@link UsageError}. */
export function readMassesOptions(args: string[]): MassesOptions | null {
  const { help, json, waiting, signals } = readArguments({ args, options: OPTIONS }).values
  return help ? null : { waiting: count('waiting', waiting), signals: count('signals', signals), json }
}

const OPTIONS = {
  waiting: { type: 'string', default: '2000' },
  signals: { type: 'string', default: '100' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const
