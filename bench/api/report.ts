import { availableParallelism } from 'node:os'
import { percentile } from '../load.ts'
import { table } from '../text-table.ts'
import type { ApiBenchOptions, Timings } from './run.ts'

/**
 * What a page is to reach: where the bare statement takes more than so many milliseconds at most that many times as long,
 * and at most so many milliseconds more where it takes less; and milliseconds at the 95th percentile.
 */
const AIMS = { longFrom: 2, ratio: 2, more: 2, p95: 50 } as const

interface Percentiles {
  p50: number
  p95: number
}

/** The figures of a list, in milliseconds. */
interface ListFigures {
  name: string
  http: Percentiles
  sql: Percentiles
  /** The answer divided by the bare statement, and milliseconds between the two. */
  ratio: Percentiles
  more: Percentiles
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
  lists: timings.map((timing) => {
    const [http, sql] = [percentilesOf(timing.http), percentilesOf(timing.sql)]
    const both = (join: (answer: number, bare: number) => number): Percentiles => ({
      p50: join(http.p50, sql.p50),
      p95: join(http.p95, sql.p95),
    })
    return {
      name: timing.name,
      http,
      sql,
      ratio: both((answer, bare) => answer / bare),
      more: both((answer, bare) => answer - bare),
    }
  }),
})

/** Whether a page costs little beyond its bare statement. */
const isNear = ({ sql, ratio, more }: ListFigures, at: keyof Percentiles): boolean =>
  sql[at] > AIMS.longFrom ? ratio[at] <= AIMS.ratio : more[at] <= AIMS.more

const percentilesOf = (latencies: number[]): Percentiles => ({
  p50: percentile(latencies, 0.5),
  p95: percentile(latencies, 0.95),
})

/** The report for people. */
export function apiReportText({ measuredAt, cores, node, rows, calls, lists }: ApiBenchReport): string {
  const met = (isMet: (figures: ListFigures) => boolean) =>
    `met by ${lists.filter(isMet).length} of ${lists.length}`
  const { longFrom, ratio: most, more: mostMore, p95 } = AIMS
  const near = `at most ${most} times the bare statement, or ${mostMore} ms more where it takes at most ${longFrom} ms`
  return [
    `${rows.toLocaleString('en')} orders, as many signals, ${calls} calls each, ${cores} cores, Node ${node}, ${measuredAt}`,
    '',
    ...table([
      [
        'milliseconds',
        'p50',
        'p95',
        'p50 SQL',
        'p95 SQL',
        'p50 / SQL',
        'p50 - SQL',
        'p95 / SQL',
        'p95 - SQL',
      ],
      ...lists.map(({ name, http, sql, ratio, more }) => [
        name,
        ...[http.p50, http.p95, sql.p50, sql.p95, ratio.p50, more.p50, ratio.p95, more.p95].map((value) =>
          value.toFixed(1),
        ),
      ]),
    ]),
    '',
    ...table([
      [`p95 under ${p95} ms`, met(({ http }) => http.p95 < p95)],
      [`p50 ${near}`, met((figures) => isNear(figures, 'p50'))],
      [`p95 ${near}`, met((figures) => isNear(figures, 'p95'))],
    ]),
  ].join('\n')
}
