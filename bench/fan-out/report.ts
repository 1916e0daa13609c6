import { percentile } from '../load.ts'
import { machineOf } from '../machine.ts'
import { table } from '../text-table.ts'
import type { FanOutFigures, Latencies } from './run.ts'

const half = (latencies: readonly number[]): number => percentile(latencies, 0.5)
const milliseconds = (latencies: readonly number[]): string => `${half(latencies).toFixed(0)} ms`

/** The report for people; of each figure half of the signals have no more. */
export function fanOutText({ options, one, several }: FanOutFigures): string {
  const { cores, load } = machineOf()
  const row = (words: string, of: (latencies: Latencies) => number[]): string[] => [
    words,
    milliseconds(of(one)),
    milliseconds(of(several)),
    (half(of(several)) / half(of(one))).toFixed(2),
  ]
  return [
    `${options.signals} signals for one account and ${options.signals} for ${options.accounts}, in turn`,
    `${cores} cores, load ${load}`,
    '',
    ...table([
      ['', 'one account', `${options.accounts} accounts`, 'ratio'],
      row('first order after', ({ first }) => first),
      row('last order after', ({ last }) => last),
    ]),
  ].join('\n')
}
