import { count, readArguments, UsageError } from '#local/commands/arguments.ts'

/** How much is measured. */
export interface BenchOptions {
  /** Signals sent one at a time, and as many again at once; each contestant gets as many. */
  signals: number
  /** How many are under way at once in the second half. */
  concurrency: number
}

/** What a person asks for. */
export interface BenchCommand extends BenchOptions {
  /** The cluster beside the default, in the place of the floor and the bare handler. */
  isCluster: boolean
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
  --cluster          the processes of npm run cluster beside those of npm start instead: rate, latency and CPU of both, and
                     what a signal with its exit costs on the cluster
  --json             the figures as JSON; not with --cluster`

/** Reads the command line; null when help is asked for. Throws {@link UsageError}. */
export function readBenchOptions(args: string[]): BenchCommand | null {
  const { help, json, cluster, signals, concurrency } = readArguments({ args, options: OPTIONS }).values
  if (help) return null
  if (cluster && json) throw new UsageError('--json and --cluster do not go together')
  return {
    isCluster: cluster,
    signals: count('signals', signals),
    concurrency: count('concurrency', concurrency ?? (cluster ? '8' : '20')),
    json,
  }
}

const OPTIONS = {
  signals: { type: 'string', default: '300' },
  concurrency: { type: 'string' },
  cluster: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const
