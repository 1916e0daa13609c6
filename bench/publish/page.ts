import {
  kilobytes,
  aimText,
  ms,
  RATIO_NAMES,
  RATIO_TITLES,
  times,
  TITLES,
  type BenchReport,
  type Figures,
} from '../report.ts'
import { median } from './median.ts'

/** The report as Markdown. */
export function reportPage(runs: readonly BenchReport[]): string {
  const [first] = runs
  if (first === undefined) throw new RangeError('there is no report of no runs')
  const { machine, versions, signals, concurrency } = first
  const middle = (figure: (report: BenchReport) => number) => median(runs.map(figure))
  return [
    '# Benchmark',
    '',
    'Written by `npm run bench -- report`. [Performance](../performance.md) says what is measured and what the figures mean.',
    'The floor is the least that a durable answer costs on the same Temporal server in the same run; absolute figures say',
    'more about the machine than about the service, so read the ratios.',
    '',
    ...markdownTable([
      ['', ''],
      [
        'measured',
        runs.map(({ measuredAt }) => measuredAt.slice(0, 16).replace('T', ' ')).join(', ') + ' UTC',
      ],
      ['machine', `${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}`],
      ['load when each run ended', runs.map((run) => run.machine.load).join(', ')],
      [
        'versions',
        Object.entries(versions)
          .map(([name, version]) => `${name} ${version}`)
          .join(', '),
      ],
      ['calls of a run', `${signals} one at a time, ${signals} with ${concurrency} at once`],
    ]),
    '',
    '## The service in multiples of the floor',
    '',
    '![Ratios of the service to the floor](ratios.svg)',
    '',
    'Bars are medians, dots are runs, lines are aims.',
    '',
    ...markdownTable([
      ['', ...runs.map((_, run) => `run ${run + 1}`), 'median', 'aim'],
      ...RATIO_NAMES.map((name) => {
        const values = runs.map(({ ratios }) => ratios[name])
        return [
          RATIO_TITLES[name],
          ...values.map(times),
          times(median(values)),
          aimText(name, median(values)),
        ]
      }),
    ]),
    '',
    '## Figures',
    '',
    'Medians of the runs.',
    '',
    ...markdownTable([
      [
        '',
        'p50',
        'p95',
        `p50, ${concurrency} at once`,
        `p95, ${concurrency} at once`,
        'answered/s',
        'settled/s',
        'CPU',
      ],
      ...namesOf(TITLES).map((name) => {
        const of = (figure: (figures: Figures) => number) => middle((run) => figure(run.contestants[name]))
        return [
          TITLES[name],
          ms(of(({ alone }) => alone.p50)),
          ms(of(({ alone }) => alone.p95)),
          ms(of(({ together }) => together.p50)),
          ms(of(({ together }) => together.p95)),
          of(({ together }) => together.answeredPerSecond).toFixed(0),
          of(({ together }) => together.settledPerSecond).toFixed(0),
          ms(of(({ cpuPerCallTotal }) => cpuPerCallTotal)),
        ]
      }),
    ]),
    '',
    '![CPU for one call by process](cpu.svg)',
    '',
    ...markdownTable([
      ['path of a signal', 'history events', 'kB of history'],
      ...Object.entries(first.histories).map(([path, { events, bytes }]) => [
        path,
        String(events),
        kilobytes(bytes),
      ]),
    ]),
    '',
  ].join('\n')
}

const namesOf = <Name extends string>(record: Record<Name, unknown>): Name[] => Object.keys(record) as Name[]

/** A table whose first row is its head. */
function markdownTable([head, ...rows]: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head!), line(head!.map(() => '---')), ...rows.map(line)]
}
