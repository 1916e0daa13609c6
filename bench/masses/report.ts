import { machineOf } from '../machine.ts'
import { table } from '../text-table.ts'
import type { Masses, Tenth } from './run.ts'

/** What is to be reached beside the mass. */
const AIMS = { latency: 1.2, growth: 1.1, workerBackMs: 10_000 } as const

const milliseconds = (value: number): string => `${value.toFixed(0)} ms`
const mebibytes = (value: number): string => `${value.toFixed(0)} MiB`
const verdict = (isMet: boolean): string => (isMet ? 'met' : 'missed')

/** The memory of both processes when all signals wait, as a multiple of that when half of them did. */
function growthOf(fill: readonly Tenth[]): number {
  const both = ({ memory }: Tenth): number => memory.worker + memory.api
  return both(fill.at(-1)!) / both(fill[Math.ceil(fill.length / 2) - 1]!)
}

/** The report for people. */
export function massesText({ options, before, beside, fill, workerBackAfter }: Masses): string {
  const { cores, load } = machineOf()
  const ratio = beside.p50 / before.p50
  const grown = growthOf(fill)
  return [
    `${options.waiting.toLocaleString('en')} signals wait, ${options.signals} are sent before and beside them`,
    `${cores} cores, load ${load}`,
    '',
    ...table([
      ['', 'before', 'beside them'],
      ['p50', milliseconds(before.p50), milliseconds(beside.p50)],
      ['p95', milliseconds(before.p95), milliseconds(beside.p95)],
      ['memory of the worker', mebibytes(before.memory.worker), mebibytes(beside.memory.worker)],
      ['memory of the API with its worker', mebibytes(before.memory.api), mebibytes(beside.memory.api)],
    ]),
    '',
    ...table([
      ['wait', 'stored and begun a second', 'worker', 'API with its worker'],
      ...fill.map(({ waiting, perSecond, memory }) => [
        waiting.toLocaleString('en'),
        perSecond.toFixed(0),
        mebibytes(memory.worker),
        mebibytes(memory.api),
      ]),
    ]),
    '',
    ...table([
      [`p50 at most ${AIMS.latency} times that before`, ratio.toFixed(2), verdict(ratio <= AIMS.latency)],
      [
        `memory of both when all wait at most ${AIMS.growth} times that of half`,
        grown.toFixed(2),
        verdict(grown <= AIMS.growth),
      ],
      [
        `a killed worker back within ${AIMS.workerBackMs / 1_000} s`,
        `${(workerBackAfter / 1_000).toFixed(1)} s`,
        verdict(workerBackAfter <= AIMS.workerBackMs),
      ],
    ]),
  ].join('\n')
}
