import { parseArgs } from 'node:util'

/** How much is measured. */
export interface BenchOptions {
  /** Signals sent one at a time, and as many again at once; each contestant gets as many. */
  signals: number
  /** How many are under way at once in the second half. */
  concurrency: number
  /** Prints the figures as JSON instead of a table. */
  json: boolean
}

export const HELP = `npm run bench -- [options]

Measures the whole service, each part a process of its own, against a floor in the same run: the smallest Temporal
workflow that runs one local activity and answers by update-with-start on the same server. Beside them stands a bare
Koa handler that writes one row. The three take turns, so that whatever else the machine does meets all of them.
docs/performance.md says what the figures mean.

  --signals N        signals one at a time, and as many again at once (300)
  --concurrency N    how many are under way at once in the second half (20)
  --json             the figures as JSON`

/** Raised for arguments that cannot be used; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Reads the command line; null when help is asked for. Throws {@link UsageError}. */
export function readBenchOptions(args: string[]): BenchOptions | null {
  const { help, json, signals, concurrency } = readArguments(args)
  if (help) return null
  return { signals: count('signals', signals), concurrency: count('concurrency', concurrency), json }
}

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        signals: { type: 'string', default: '300' },
        concurrency: { type: 'string', default: '20' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error })
  }
}

/** An argument that has to be a whole number above 0. Throws {@link UsageError}. */
export function count(name: string, text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1)
    throw new UsageError(`--${name} must be a whole number, not ${text}`)
  return value
}
