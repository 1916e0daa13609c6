import { machineText, table } from '../measure.ts'
import type { Shares } from './profiles.ts'
import { since, type Statement } from './statements.ts'

export interface Reading {
  calls: ReadonlyMap<string, number>
  transactions: number
  statements: readonly Statement[]
  /** Milliseconds of processor time by process. */
  cpu: Readonly<Record<string, number>>
}

export interface Measurement {
  signals: number
  before: Reading
  after: Reading
  history: { events: number; bytes: number }
  /** Milliseconds of processor time of a floor call, by process. */
  floor: Readonly<Record<string, number>>
  shares: Shares
  /** Mebibytes by process, at the end. */
  memory: Readonly<Record<string, number>>
}

const MOST_FUNCTIONS = 15
const MOST_STATEMENTS = 20
const SHOWN_OF_STATEMENT = 150

/** Tables for one signal: counts, processor time, and the most expensive items. */
export function costText({ signals, before, after, history, floor, shares, memory }: Measurement): string {
  const each = (value: number, digits = 2) => (value / signals).toFixed(digits)
  const calls = [...after.calls].map(([name, count]): Row => [name, count - (before.calls.get(name) ?? 0)])
  const statements = since(before.statements, after.statements)
  const cpu = Object.entries(after.cpu).map(([name, ms]): Row => [name, ms - before.cpu[name]!])
  const count = statements.reduce((sum, { calls: of }) => sum + of, 0)
  const inPostgres = statements.reduce((sum, { ms }) => sum + ms, 0)
  return [
    `One of ${signals} signals, four at once`,
    machineText(),
    '',
    ...table([
      ['', 'a signal'],
      ['statements', each(count, 1)],
      ['time of statements in PostgreSQL, ms', each(inPostgres)],
      ['transactions', each(after.transactions - before.transactions, 1)],
      ['calls to Temporal', each(sumOf(calls), 1)],
      ['events of the history', history.events.toFixed(1)],
      ['bytes of the history', history.bytes.toFixed(0)],
    ]),
    '',
    ...table([
      ['processor time by process, ms', 'a signal', 'floor', 'memory, MiB'],
      ...cpu.map(([name, ms]) => [name, each(ms), floor[name]?.toFixed(2) ?? '', memory[name]!.toFixed(0)]),
      ['worker of the floor', '', floor['worker']!.toFixed(2), ''],
      ['all', each(sumOf(cpu)), sumOf(Object.entries(floor)).toFixed(2), ''],
    ]),
    '',
    ...listed('processor time of the API by kind, ms', largest(shares.kinds), each),
    '',
    ...listed('dearest functions, ms', largest(shares.functions).slice(0, MOST_FUNCTIONS), each),
    '',
    ...listed(
      'calls to Temporal',
      largest(calls).filter(([, of]) => of > 0),
      each,
    ),
    '',
    'dearest statements: calls a signal, ms a signal',
    ...statements
      .toSorted((one, other) => other.ms - one.ms)
      .slice(0, MOST_STATEMENTS)
      .map(({ query, calls: of, ms }) => `${each(of)} ${each(ms, 3)} ${query.slice(0, SHOWN_OF_STATEMENT)}`),
  ].join('\n')
}

type Row = readonly [name: string, value: number]

const sumOf = (rows: readonly Row[]): number => rows.reduce((sum, [, value]) => sum + value, 0)

const largest = (rows: Iterable<Row>): Row[] => [...rows].toSorted(([, one], [, other]) => other - one)

const listed = (title: string, rows: readonly Row[], each: (value: number) => string): string[] =>
  table([[title, 'a signal'], ...rows.map(([name, value]) => [name, each(value)])])
