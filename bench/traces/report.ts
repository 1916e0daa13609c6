import { machineOf } from '../machine.ts'
import { figuresOf, ms, times, type Figures } from '../report.ts'
import { table } from '../text-table.ts'
import type { TracesBench } from './run.ts'

/** The report for people. */
export function tracesText({ options, ...sides }: TracesBench): string {
  const { cores, load } = machineOf()
  const [without, traced] = [figuresOf(sides.without), figuresOf(sides.traced)]
  const row = (title: string, figure: (of: Figures) => number, text: (value: number) => string): string[] => [
    title,
    text(figure(without)),
    text(figure(traced)),
    times(figure(traced) / figure(without)),
  ]
  const perSecond = (value: number): string => value.toFixed(1)
  return [
    `${options.signals} signals one at a time, ${options.signals} with ${options.concurrency} at once, ${new Date().toISOString()}`,
    `${cores} cores, load ${load}`,
    '',
    ...table([
      ['', 'no traces', 'all traces', 'ratio'],
      row('p50', ({ alone }) => alone.p50, ms),
      row('p95', ({ alone }) => alone.p95, ms),
      row(`p50 (${options.concurrency})`, ({ together }) => together.p50, ms),
      row(`p95 (${options.concurrency})`, ({ together }) => together.p95, ms),
      row('answered/s', ({ together }) => together.answeredPerSecond, perSecond),
      row('CPU for one', ({ cpuPerCallTotal }) => cpuPerCallTotal, ms),
      row('of it the API', ({ cpuPerCall }) => cpuPerCall['api']!, ms),
      row('of it the worker', ({ cpuPerCall }) => cpuPerCall['worker']!, ms),
    ]),
  ].join('\n')
}
