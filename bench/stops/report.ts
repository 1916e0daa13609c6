import { percentile } from '../load.ts'
import { machineOf } from '../machine.ts'
import { table } from '../text-table.ts'
import type { StopsFigures } from './run.ts'

/** The report for people. */
export function stopsText({ options, immediateExit, stop, oco }: StopsFigures): string {
  const { cores, load } = machineOf()
  const floor = percentile(immediateExit, 0.5)
  const row = (words: string, latencies: readonly number[]): string[] => [
    words,
    ...[0.5, 0.95].map((part) => `${percentile(latencies, part).toFixed(0)} ms`),
    (percentile(latencies, 0.5) / floor).toFixed(2),
  ]
  return [
    `From the fill of the entry until the exit lies at the broker; ${options.signals} signals of each kind, in turn`,
    `${cores} cores, load ${load}`,
    '',
    ...table([
      ['', 'p50', 'p95', 'ratio of p50'],
      row('exit at once, at market', immediateExit),
      row('stop of a plan', stop),
      row('stop and target of a plan', oco),
    ]),
  ].join('\n')
}
