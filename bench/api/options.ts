import { count, readArguments } from '#local/commands/arguments.ts'

/** How much is measured. */
export interface ApiBenchOptions {
  /** Orders in the ledger, and as many signals. */
  rows: number
  /** Requests for each list, and as many bare statements. */
  calls: number
  /** Prints the figures as JSON instead of a table. */
  json: boolean
}

export const HELP = `npm run bench:api -- [options]

Fills the ledger of several users, asks the API for its lists, and PostgreSQL for the rows of the same answers by bare
SQL; the two take turns, one call at a time. Both have to find the same rows. docs/performance.md says what the figures
mean.

  --rows N     orders, and as many signals (1000000)
  --calls N    requests for each list, and as many bare statements (200)
  --json       the figures as JSON`

/** Reads the command line; null when help is asked for. Throws {@link UsageError}. */
export function readApiBenchOptions(args: string[]): ApiBenchOptions | null {
  const { help, json, rows, calls } = readArguments({ args, options: OPTIONS }).values
  return help ? null : { rows: count('rows', rows), calls: count('calls', calls), json }
}

const OPTIONS = {
  rows: { type: 'string', default: '1000000' },
  calls: { type: 'string', default: '200' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const
