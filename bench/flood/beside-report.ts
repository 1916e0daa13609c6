import { machineOf } from '../machine.ts'
import { table } from '../text-table.ts'
import { RECOVERY_MS, type Answered, type BesideFlood, type BesideFloods } from './beside.ts'

/** What is to be reached beside a flood: milliseconds, the memory as a multiple of that before, bytes. */
const AIMS = { signals: 1_000, halts: 300, growth: 1.1, logged: 10_000_000, recoveredAfter: 5_000 } as const

const milliseconds = (value: number): string => value.toFixed(0)
const ofFloor = (value: number, floor: number): string => `(${(value / floor).toFixed(1)})`
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(2)
const countsText = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ')

const answeredCells = (answered: Answered, floor: Answered): string[] =>
  (['p50', 'p95', 'max'] as const).flatMap((figure) => [
    milliseconds(answered[figure]),
    ofFloor(answered[figure], floor[figure]),
  ])

const recovery = (after: number | null): string =>
  after === null ? `not within ${RECOVERY_MS / 1_000}` : (after / 1_000).toFixed(1)

/** The report for people. */
export function besideText({ options, floor, floods }: BesideFloods): string {
  const { cores, load } = machineOf()
  const parts = [{ by: 'nobody', ...floor }, ...floods]
  return [
    `${options.seconds} s for each flood and for the floor; another person sends a signal, and sets and lifts a halt, every second`,
    `${cores} cores, load ${load}; times in ms; in brackets the ratio to the same run without a flood`,
    '',
    ...(['signals', 'halts'] as const).flatMap((kind) => [
      ...table([
        [`${kind} beside`, 'p50', '', 'p95', '', 'max', '', 'answered'],
        ...parts.map((part) => [
          part.by,
          ...answeredCells(part[kind], floor[kind]),
          countsText(part[kind].statuses),
        ]),
      ]),
      '',
    ]),
    ...table([
      ['flood by', 'MiB before', 'most', 'after', 'MB logged', 'MB of ledger', 'CPU s', 'recovered after s'],
      ...floods.map(({ by, memory, logged, stored, cpu, recoveredAfter }) => [
        by,
        memory.before.toFixed(0),
        memory.most.toFixed(0),
        memory.after.toFixed(0),
        megabytes(logged),
        megabytes(stored),
        cpu.toFixed(1),
        recovery(recoveredAfter),
      ]),
    ]),
    '',
    ...floods.flatMap(({ by, sent }) => sentLines(by, sent)),
    '',
    ...table([
      ['aim', ...floods.map(({ by }) => by)],
      ...AIM_ROWS.map(([aim, isMet]) => [aim, ...floods.map((flood) => (isMet(flood) ? 'met' : 'missed'))]),
    ]),
  ].join('\n')
}

/** What the flood sent; tokens together. */
const sentLines = (by: string, sent: BesideFlood['sent']): string[] =>
  [...Map.groupBy(sent, ({ kind }) => kind)].map(([kind, same]) => {
    const statuses: Record<string, number> = {}
    for (const [status, count] of same.flatMap((each) => Object.entries(each.statuses)))
      statuses[status] = (statuses[status] ?? 0) + count
    const requests = same.reduce((sum, each) => sum + each.requests, 0)
    return `${by}: ${requests} ${kind}: ${countsText(statuses)}`
  })

const isAnswered = ({ statuses }: Answered): boolean =>
  Object.keys(statuses).every((status) => status.startsWith('2'))

const AIM_ROWS: readonly [string, (flood: BesideFlood) => boolean][] = [
  [
    `signals accepted, p95 below ${AIMS.signals} ms`,
    ({ signals }) => isAnswered(signals) && signals.p95 < AIMS.signals,
  ],
  [
    `halts set and lifted, p95 below ${AIMS.halts} ms`,
    ({ halts }) => isAnswered(halts) && halts.p95 < AIMS.halts,
  ],
  [
    `memory at most ${AIMS.growth} times that before`,
    ({ memory }) => memory.after <= AIMS.growth * memory.before,
  ],
  [`less than ${AIMS.logged / 1e6} MB logged`, ({ logged }) => logged < AIMS.logged],
  [
    `within twice the floor's p50 again after ${AIMS.recoveredAfter / 1_000} s`,
    ({ recoveredAfter }) => recoveredAfter !== null && recoveredAfter <= AIMS.recoveredAfter,
  ],
]
