import { count, readArguments } from '#local/commands/arguments.ts'

/** What a published report is made of, and where it goes. */
export interface PublishOptions {
  /** How often the whole benchmark runs. */
  runs: number
  /** Signals of a run, one at a time, and as many again at once. */
  signals: number
  /** Calls of each contestant before anything is measured. */
  warmUp: number
  /** The folder of the report. */
  to: string
}

export const HELP = `npm run bench:report -- [options]

Runs the benchmark (npm run bench) several times, once more with 50 calls at once, and writes a report: Markdown, charts
as SVG, and the figures as JSON. Takes two to three minutes a run. The report says what machine it was, and how busy.

  --runs N       how often the benchmark runs (3)
  --signals N    signals one at a time, and as many again at once (300)
  --warm-up N    calls of each before anything is measured (2000)
  --to FOLDER    where the report goes (docs/benchmark)`

/** Reads the command line; null when help is asked for. Throws {@link UsageError}. */
export function readPublishOptions(args: string[]): PublishOptions | null {
  const { help, runs, signals, to, 'warm-up': warmUp } = readArguments({ args, options: OPTIONS }).values
  if (help) return null
  return {
    runs: count('runs', runs),
    signals: count('signals', signals),
    warmUp: count('warm-up', warmUp),
    to,
  }
}

const OPTIONS = {
  runs: { type: 'string', default: '3' },
  signals: { type: 'string', default: '300' },
  'warm-up': { type: 'string', default: '2000' },
  to: { type: 'string', default: 'docs/benchmark' },
  help: { type: 'boolean', short: 'h', default: false },
} as const
