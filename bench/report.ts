import { availableParallelism } from 'node:os'
import { percentile } from './load.ts'
import type { BenchResult, ContestantName, Sum, Tally } from './run.ts'
import { table } from './text-table.ts'

/** What the service is to reach: at most, at least, at most. */
const AIMS = { p50Ratio: 1.6, rateRatio: 0.65, events: 30 } as const

/** One contestant's figures; times in milliseconds. */
export interface Figures {
  alone: { p50: number; p95: number }
  together: {
    p50: number
    p95: number
    /** Answers a second, and calls a second until also the work behind the answers is done. */
    answeredPerSecond: number
    closedPerSecond: number
  }
  /** Milliseconds of CPU for one call, by process and in all. */
  cpuPerCall: Record<string, number>
  cpuPerCallTotal: number
}

/** The whole outcome as data. */
export interface BenchReport {
  measuredAt: string
  cores: number
  node: string
  signals: number
  concurrency: number
  contestants: Record<ContestantName, Figures>
  /** The service's figure divided by the floor's. */
  ratios: {
    p50Alone: number
    p95Alone: number
    p50Together: number
    answeredPerSecond: number
    cpuPerCall: number
  }
  /** History events by path. */
  events: Record<string, number>
  aims: Record<keyof typeof AIMS, { aim: number; measured: number; isMet: boolean }>
}

/** Sums a run up. */
export function reportOf({ options, tallies, events }: BenchResult): BenchReport {
  const floor = figuresOf(tallies.floor)
  const service = figuresOf(tallies.service)
  const ratios = {
    p50Alone: service.alone.p50 / floor.alone.p50,
    p95Alone: service.alone.p95 / floor.alone.p95,
    p50Together: service.together.p50 / floor.together.p50,
    answeredPerSecond: service.together.answeredPerSecond / floor.together.answeredPerSecond,
    cpuPerCall: service.cpuPerCallTotal / floor.cpuPerCallTotal,
  }
  const atMost = (aim: number, measured: number) => ({ aim, measured, isMet: measured <= aim })
  const atLeast = (aim: number, measured: number) => ({ aim, measured, isMet: measured >= aim })
  return {
    measuredAt: new Date().toISOString(),
    cores: availableParallelism(),
    node: process.version,
    signals: options.signals,
    concurrency: options.concurrency,
    contestants: { floor, service, koa: figuresOf(tallies.koa) },
    ratios,
    events,
    aims: {
      p50Ratio: atMost(AIMS.p50Ratio, ratios.p50Alone),
      rateRatio: atLeast(AIMS.rateRatio, ratios.answeredPerSecond),
      events: atMost(AIMS.events, Math.max(...Object.values(events))),
    },
  }
}

function figuresOf({ alone, together, cpuMs }: Tally): Figures {
  const calls = alone.latencies.length + together.latencies.length
  const cpuPerCall = Object.fromEntries(Object.entries(cpuMs).map(([name, used]) => [name, used / calls]))
  const perSecond = (sum: Sum, milliseconds: number) => (sum.latencies.length * 1_000) / milliseconds
  return {
    alone: { p50: percentile(alone.latencies, 0.5), p95: percentile(alone.latencies, 0.95) },
    together: {
      p50: percentile(together.latencies, 0.5),
      p95: percentile(together.latencies, 0.95),
      answeredPerSecond: perSecond(together, together.elapsedMs),
      closedPerSecond: perSecond(together, together.settledMs),
    },
    cpuPerCall,
    cpuPerCallTotal: Object.values(cpuPerCall).reduce((sum, each) => sum + each, 0),
  }
}

const TITLES: Record<ContestantName, string> = {
  floor: 'floor: smallest workflow',
  service: 'service: webhook to executed',
  koa: 'bare Koa handler, one row',
}

/** The report for people. */
export function reportText(report: BenchReport): string {
  const { contestants, ratios, concurrency, events, aims } = report
  const names = Object.keys(TITLES) as ContestantName[]
  const rows = names.map((name) => {
    const { alone, together } = contestants[name]
    return [
      TITLES[name],
      ms(alone.p50),
      ms(alone.p95),
      ms(together.p50),
      ms(together.p95),
      together.answeredPerSecond.toFixed(0),
      together.closedPerSecond.toFixed(0),
    ]
  })
  const ratioRow = [
    'service / floor',
    times(ratios.p50Alone),
    times(ratios.p95Alone),
    times(ratios.p50Together),
    '',
    times(ratios.answeredPerSecond),
    '',
  ]
  const head = ['', 'p50', 'p95', `p50 (${concurrency})`, `p95 (${concurrency})`, 'answered/s', 'closed/s']
  return [
    `${report.signals} one at a time, ${report.signals} with ${concurrency} at once, ${report.cores} cores, Node ${report.node}, ${report.measuredAt}`,
    '',
    ...table([head, ...rows, ratioRow]),
    '',
    'CPU for one call, in milliseconds',
    ...table(
      names.map((name) => [
        TITLES[name],
        contestants[name].cpuPerCallTotal.toFixed(1),
        byProcess(contestants[name]),
      ]),
    ),
    '',
    'History events',
    ...table(Object.entries(events).map(([path, count]) => [path, String(count)])),
    '',
    'Aims',
    ...table([
      [`p50 at most ${AIMS.p50Ratio} times the floor`, times(aims.p50Ratio.measured), verdict(aims.p50Ratio)],
      [
        `rate at least ${AIMS.rateRatio} of the floor`,
        times(aims.rateRatio.measured),
        verdict(aims.rateRatio),
      ],
      [`at most ${AIMS.events} history events`, String(aims.events.measured), verdict(aims.events)],
    ]),
  ].join('\n')
}

const ms = (value: number): string => `${value.toFixed(1)} ms`
const times = (value: number): string => value.toFixed(2)
const verdict = ({ isMet }: { isMet: boolean }): string => (isMet ? 'met' : 'missed')
const byProcess = ({ cpuPerCall }: Figures): string =>
  Object.entries(cpuPerCall)
    .map(([name, used]) => `${name} ${used.toFixed(1)}`)
    .join(', ')
