import { machineOf } from '../machine.ts'
import { figuresOf, kilobytes, ms } from '../report.ts'
import { table } from '../text-table.ts'
import type { ClusterBench, Side } from './run.ts'

/** The report for people. */
export function clusterText(bench: ClusterBench): string {
  const { options, cost } = bench
  const machine = machineOf()
  const sides: [string, Side][] = [
    [`default, ${bench.default.processes} processes`, bench.default],
    [`cluster, ${bench.cluster.processes} processes`, bench.cluster],
  ]
  const many = `(${options.concurrency})`
  const head = [
    '',
    'p50',
    'p99',
    `p50 ${many}`,
    `p99 ${many}`,
    'answered/s',
    'settled/s',
    'CPU for one',
    'idle CPU/s',
  ]
  return [
    `${options.signals} signals one at a time, ${options.signals} with ${options.concurrency} at once, ${new Date().toISOString()}`,
    `${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB, load ${machine.load}`,
    '',
    ...table([head, ...sides.map(([title, side]) => rowOf(title, side))]),
    '',
    'CPU for one signal without exit, in milliseconds',
    ...sides.map(([title, { tally }]) => `${title}: ${listed(figuresOf(tally).cpuPerCall)}`),
    'CPU while nothing is sent, in milliseconds a second',
    ...sides.map(([title, { idleCpu }]) => `${title}: ${listed(idleCpu)}`),
    '',
    `What a signal with its exit costs on the cluster, mean of ${cost.signals}`,
    ...table([
      ['history', `${cost.events.toFixed(1)} events, ${kilobytes(cost.historyBytes)} kB`],
      ['transactions', listed(cost.transactions)],
      ['requests', listed(cost.requests)],
      ['shard writes', `${cost.shardWrites.toFixed(1)}, each ${ms(cost.shardWriteMs)}`],
      ['storage, kB', listed(inKilobytes(cost.bytes))],
      ['WAL, kB', kilobytes(cost.walBytes)],
      ['CPU', ms(cost.cpuMs)],
    ]),
  ].join('\n')
}

function rowOf(title: string, { tally, idleCpu }: Side): string[] {
  const { alone, together, cpuPerCallTotal } = figuresOf(tally)
  return [
    title,
    ms(alone.p50),
    ms(alone.p99),
    ms(together.p50),
    ms(together.p99),
    together.answeredPerSecond.toFixed(1),
    together.settledPerSecond.toFixed(1),
    ms(cpuPerCallTotal),
    ms(sum(idleCpu)),
  ]
}

const sum = (figures: Readonly<Record<string, number>>): number =>
  Object.values(figures).reduce((total, each) => total + each, 0)
const inKilobytes = (bytes: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(bytes).map(([name, each]) => [name, each / 1_000]))
const listed = (figures: Readonly<Record<string, number>>): string =>
  `${sum(figures).toFixed(1)} (${Object.entries(figures)
    .map(([name, figure]) => `${name} ${figure.toFixed(1)}`)
    .join(', ')})`
