import { count, readArguments, UsageError } from '#local/commands/arguments.ts'

/** How much is measured. */
export interface BenchOptions {
  /** Signals sent one at a time, and as many again at once; each contestant gets as many. */
  signals: number
  /** How many are under way at once in the second half. */
  concurrency: number
  /** Calls of each contestant before anything is measured. */
  warmUp: number
}

/** What a person asks for. */
export interface BenchCommand extends BenchOptions {
  /** What is measured: the service against the floor, the cluster beside the default, or traces against none. */
  subject: 'floor' | 'cluster' | 'traces'
  /** Prints the figures as JSON instead of a table. */
  json: boolean
}

export const HELP = `npm run bench -- [options]

Measures the whole service, each part a process of its own, against a floor in the same run: the smallest Temporal
workflow that runs one local activity and answers by update-with-start on the same server. Beside them stands a bare
Koa handler that writes one row. The three take turns, so that whatever else the machine does meets all of them.
docs/performance.md says what the figures mean.

  --signals N        signals one at a time, and as many again at once (300)
  --concurrency N    how many are under way at once in the second half (20, with --cluster 8: some twenty processes more
                     share the machine, and every answer but the best ends a measurement)
  --warm-up N        calls of each before anything is measured (2000): Node goes on compiling for about as many
  --cluster          the processes of npm run cluster beside those of npm start instead: rate, latency and CPU of both, and
                     what a signal with its exit costs on the cluster
  --traces           the service with the trace of every signal exported beside one that exports none
  --json             the figures as JSON; not with --cluster or --traces`

/** Reads the command line; null when help is asked for. Throws {@link UsageError}. */
export function readBenchOptions(args: string[]): BenchCommand | null {
  const {
    help,
    json,
    cluster,
    traces,
    signals,
    concurrency,
    'warm-up': warmUp,
  } = readArguments({
    args,
    options: OPTIONS,
  }).values
  if (help) return null
  if ([cluster, traces, json].filter(Boolean).length > 1)
    throw new UsageError('of --cluster, --traces and --json only one can be given')
  return {
    subject: cluster ? 'cluster' : traces ? 'traces' : 'floor',
    signals: count('signals', signals),
    concurrency: count('concurrency', concurrency ?? (cluster ? '8' : '20')),
    warmUp: count('warm-up', warmUp),
    json,
  }
}

const OPTIONS = {
  signals: { type: 'string', default: '300' },
  concurrency: { type: 'string' },
  'warm-up': { type: 'string', default: '2000' },
  cluster: { type: 'boolean', default: false },
  traces: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const
