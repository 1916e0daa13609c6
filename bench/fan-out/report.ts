import { percentile } from '../load.ts'
import { machineOf } from '../machine.ts'
import { table } from '../text-table.ts'
import type { FanOutFigures, Latency } from './run.ts'

/** The report for people; of each figure half of the signals have no more. */
export function fanOutText({ options, one, several }: FanOutFigures): string {
  const { cores, load } = machineOf()
  const row = (words: string, of: (latency: Latency) => number): string[] => {
    const [alone, spread] = [one, several].map((latencies) => percentile(latencies.map(of), 0.5)) as [
      number,
      number,
    ]
    const milliseconds = [alone, spread].map((latency) => `${latency.toFixed(0)} ms`)
    return [words, ...milliseconds, (spread / alone).toFixed(2)]
  }
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
