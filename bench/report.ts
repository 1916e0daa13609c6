import type { HistorySizes } from './histories.ts'
import { percentile } from './load.ts'
import { machineOf, type Machine } from './machine.ts'
import type { Sum, Tally } from './rounds.ts'
import type { BenchResult, ContestantName, Versions } from './run.ts'
import { table } from './text-table.ts'

/** The service's figure divided by the floor's. */
export interface Ratios {
  p50Alone: number
  p95Alone: number
  p50Together: number
  /** Of the rates at which calls are answered. */
  answered: number
  /** Of the rates at which also the work behind the answers is done. */
  settled: number
  /** Of the CPU time for one call. */
  cpu: number
}

/** What the service is to reach, as a ratio to the floor. */
export const AIMS: Partial<Record<keyof Ratios, { is: 'at most' | 'at least'; value: number }>> = {
  p50Alone: { is: 'at most', value: 1.4 },
  p50Together: { is: 'at most', value: 1.1 },
  answered: { is: 'at least', value: 0.9 },
  settled: { is: 'at least', value: 0.8 },
  cpu: { is: 'at most', value: 1.7 },
}

/** True for a ratio that reaches its aim, or has none. */
export function isMet(name: keyof Ratios, measured: number): boolean {
  const aim = AIMS[name]
  if (aim === undefined) return true
  return aim.is === 'at most' ? measured <= aim.value : measured >= aim.value
}

/** One contestant's figures; times in milliseconds. */
export interface Figures {
  alone: { p50: number; p95: number; p99: number; answeredPerSecond: number }
  together: {
    p50: number
    p95: number
    p99: number
    /** Answers a second, and calls a second until also the work behind the answers is done. */
    answeredPerSecond: number
    settledPerSecond: number
  }
  /** Milliseconds of CPU for one call, by process and in all. */
  cpuPerCall: Record<string, number>
  cpuPerCallTotal: number
}

/** The whole outcome as data. */
export interface BenchReport {
  /** UTC instant. */
  measuredAt: string
  machine: Machine
  versions: Versions
  signals: number
  concurrency: number
  contestants: Record<ContestantName, Figures>
  ratios: Ratios
  /** History of one workflow, by the path of its signal. */
  histories: HistorySizes
}

/** Sums a run up. */
export function reportOf({ options, tallies, histories, versions }: BenchResult): BenchReport {
  const floor = figuresOf(tallies.floor)
  const service = figuresOf(tallies.service)
  return {
    measuredAt: new Date().toISOString(),
    machine: machineOf(),
    versions,
    signals: options.signals,
    concurrency: options.concurrency,
    contestants: { floor, service, koa: figuresOf(tallies.koa) },
    ratios: {
      p50Alone: service.alone.p50 / floor.alone.p50,
      p95Alone: service.alone.p95 / floor.alone.p95,
      p50Together: service.together.p50 / floor.together.p50,
      answered: service.together.answeredPerSecond / floor.together.answeredPerSecond,
      settled: service.together.settledPerSecond / floor.together.settledPerSecond,
      cpu: service.cpuPerCallTotal / floor.cpuPerCallTotal,
    },
    histories,
  }
}

/** Sums up what was measured of one contestant. */
export function figuresOf({ alone, together, cpuMs }: Tally): Figures {
  const calls = alone.latencies.length + together.latencies.length
  const cpuPerCall = Object.fromEntries(Object.entries(cpuMs).map(([name, used]) => [name, used / calls]))
  const perSecond = (sum: Sum, milliseconds: number) => (sum.latencies.length * 1_000) / milliseconds
  return {
    alone: {
      p50: percentile(alone.latencies, 0.5),
      p95: percentile(alone.latencies, 0.95),
      p99: percentile(alone.latencies, 0.99),
      answeredPerSecond: perSecond(alone, alone.elapsedMs),
    },
    together: {
      p50: percentile(together.latencies, 0.5),
      p95: percentile(together.latencies, 0.95),
      p99: percentile(together.latencies, 0.99),
      answeredPerSecond: perSecond(together, together.elapsedMs),
      settledPerSecond: perSecond(together, together.settledMs),
    },
    cpuPerCall,
    cpuPerCallTotal: Object.values(cpuPerCall).reduce((sum, each) => sum + each, 0),
  }
}

export const TITLES: Record<ContestantName, string> = {
  floor: 'floor: smallest workflow',
  service: 'service: webhook to executed',
  koa: 'bare Koa handler, one row',
}

/** What each ratio compares. */
export const RATIO_TITLES: Record<keyof Ratios, string> = {
  p50Alone: 'p50, one at a time',
  p95Alone: 'p95, one at a time',
  p50Together: 'p50, many at once',
  answered: 'answered a second',
  settled: 'settled a second',
  cpu: 'CPU for one call',
}

/** The names of the ratios, in the order of a report. */
export const RATIO_NAMES = Object.keys(RATIO_TITLES) as (keyof Ratios)[]

/** The report for people. */
export function reportText(report: BenchReport): string {
  const { contestants, ratios, concurrency, histories, machine } = report
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
      together.settledPerSecond.toFixed(0),
    ]
  })
  const head = ['', 'p50', 'p95', `p50 (${concurrency})`, `p95 (${concurrency})`, 'answered/s', 'settled/s']
  return [
    `${report.signals} one at a time, ${report.signals} with ${concurrency} at once, ${report.measuredAt}`,
    `${machine.cores} cores, load ${machine.load}, Node ${report.versions.Node}`,
    '',
    ...table([head, ...rows]),
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
    'History of one workflow',
    ...table([
      ['path', 'events', 'kB'],
      ...Object.entries(histories).map(([path, { events, bytes }]) => [
        path,
        String(events),
        kilobytes(bytes),
      ]),
    ]),
    '',
    'Service / floor',
    ...table(
      RATIO_NAMES.map((name) => [RATIO_TITLES[name], times(ratios[name]), aimText(name, ratios[name])]),
    ),
  ].join('\n')
}

/** The aim of a ratio and whether it is met; empty without one. */
export function aimText(name: keyof Ratios, measured: number): string {
  const aim = AIMS[name]
  return aim === undefined ? '' : `${aim.is} ${aim.value}: ${isMet(name, measured) ? 'met' : 'missed'}`
}

export const ms = (value: number): string => `${value.toFixed(1)} ms`
export const kilobytes = (bytes: number): string => (bytes / 1_000).toFixed(1)
export const times = (value: number): string => value.toFixed(2)
const byProcess = ({ cpuPerCall }: Figures): string =>
  Object.entries(cpuPerCall)
    .map(([name, used]) => `${name} ${used.toFixed(1)}`)
    .join(', ')
