import { availableParallelism } from 'node:os'
import { percentile } from '../load.ts'
import { table } from '../text-table.ts'
import type { ApiBenchOptions } from './options.ts'
import type { Timings } from './run.ts'

/** What a list is to reach at the 95th percentile: at most this many times the bare statement, and milliseconds. */
const AIMS = { ratio: 2, ms: 50 } as const

interface Percentiles {
  p50: number
  p95: number
}

/** The figures of a list, in milliseconds. */
export interface ListFigures {
  name: string
  http: Percentiles
  sql: Percentiles
  /** p95 of the answer divided by that of the bare statement. */
  ratio: number
}

/** The whole outcome as data. */
export interface ApiBenchReport {
  measuredAt: string
  cores: number
  node: string
  rows: number
  calls: number
  lists: ListFigures[]
}

export const apiReportOf = ({ rows, calls }: ApiBenchOptions, timings: Timings[]): ApiBenchReport => ({
  measuredAt: new Date().toISOString(),
  cores: availableParallelism(),
  node: process.version,
  rows,
  calls,
  lists: timings.map(({ name, http, sql }) => ({
    name,
    http: percentilesOf(http),
    sql: percentilesOf(sql),
    ratio: percentile(http, 0.95) / percentile(sql, 0.95),
  })),
})

const percentilesOf = (latencies: number[]): Percentiles => ({
  p50: percentile(latencies, 0.5),
  p95: percentile(latencies, 0.95),
})

/** The report for people. */
export function apiReportText({ measuredAt, cores, node, rows, calls, lists }: ApiBenchReport): string {
  const met = (isMet: (figures: ListFigures) => boolean) =>
    `met by ${lists.filter(isMet).length} of ${lists.length}`
  return [
    `${rows.toLocaleString('en')} orders, as many signals, ${calls} calls each, ${cores} cores, Node ${node}, ${measuredAt}`,
    '',
    ...table([
      ['milliseconds', 'p50', 'p95', 'p50 SQL', 'p95 SQL', 'p95 / SQL'],
      ...lists.map(({ name, http, sql, ratio }) => [
        name,
        ...[http.p50, http.p95, sql.p50, sql.p95, ratio].map((value) => value.toFixed(1)),
      ]),
    ]),
    '',
    ...table([
      [`p95 under ${AIMS.ms} ms`, met(({ http }) => http.p95 < AIMS.ms)],
      [`p95 at most ${AIMS.ratio} times the bare statement`, met(({ ratio }) => ratio <= AIMS.ratio)],
    ]),
  ].join('\n')
}
