import { machineOf } from '../machine.ts'
import { table } from '../text-table.ts'
import type { Masses } from './run.ts'

/** What is to be reached beside the mass. */
const AIMS = { latency: 1.2, workerBackMs: 10_000 } as const

const milliseconds = (value: number): string => `${value.toFixed(0)} ms`
const mebibytes = (value: number): string => `${value.toFixed(0)} MiB`
const verdict = (isMet: boolean): string => (isMet ? 'met' : 'missed')

/** The report for people. */
export function massesText({ options, before, beside, storedPerSecond, workerBackAfter }: Masses): string {
  const { cores, load } = machineOf()
  const ratio = beside.p50 / before.p50
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
      ['stored a second, first tenth', storedPerSecond.first.toFixed(0), ''],
      ['stored a second, last tenth', storedPerSecond.last.toFixed(0), ''],
      [`p50 at most ${AIMS.latency} times that before`, ratio.toFixed(2), verdict(ratio <= AIMS.latency)],
      [
        `a killed worker back within ${AIMS.workerBackMs / 1_000} s`,
        `${(workerBackAfter / 1_000).toFixed(1)} s`,
        verdict(workerBackAfter <= AIMS.workerBackMs),
      ],
    ]),
  ].join('\n')
}
