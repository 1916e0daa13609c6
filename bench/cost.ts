import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import type { Stack } from '#test/support/stack.ts'
import { sharesOf } from './cost/profiles.ts'
import { COUNTING, countStatements, since, statementsOf, type Statement } from './cost/statements.ts'
import { startFloor } from './floor.ts'
import { machineText, table } from './measure.ts'
import { numberOption, type Scenario } from './options.ts'
import { cpuMilliseconds } from './process-table.ts'
import { sendSignal, UNBOUNDED } from './send.ts'
import { withStack } from './with-stack.ts'

/** Symbols in turn: exits of one symbol wait for each other's fills. */
const SYMBOLS = 100
const MOST_FUNCTIONS = 25
const MOST_STATEMENTS = 30

/** Figures of one call. */
interface Counts {
  calls: Map<string, number>
  transactions: number
  statements: Statement[]
}

export const cost: Scenario<{ signals: number; warmUp: number; exit: number }> = {
  about: `Shows where the work of one signal with its exit at once goes: statements, transactions, calls to Temporal, events and bytes of
its history, and the processor time by process and by kind of work, from profiles of the default installation, beside the floor's.`,
  options: {
    signals: numberOption('signals that are measured, four at once', 200),
    warmUp: numberOption('signals before them, while Node still compiles', 300),
    exit: numberOption('1 for signals with an exit at once, 0 without', 1, { least: 0, most: 1 }),
  },
  async run({ signals, warmUp, exit }, report) {
    const folder = mkdtempSync(join(tmpdir(), 'durable-trader-profiles-'))
    try {
      const profiled = { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder} --cpu-prof-interval=500` }
      return await withStack(
        { ...UNBOUNDED, ...profiled },
        async (stack) => {
          await countStatements(stack)
          let sent = 0
          const call = () =>
            sendSignal(stack, {
              symbol: `ZTCOST${lettersOf(sent++ % SYMBOLS)}`,
              ...(exit === 1 && { exitTriggerType: 'immediate' }),
            })
          report(`warming up with ${warmUp} signals`)
          await inTurn(call, warmUp)
          await whenClosed(stack)
          report(`measuring ${signals} signals`)
          const before = { cpu: cpuOf(stack), counts: await countsOf(stack) }
          const from = now()
          await inTurn(call, signals)
          await whenClosed(stack)
          const until = now()
          const after = { cpu: cpuOf(stack), counts: await countsOf(stack) }
          const history = await historyOf(stack)
          report('measuring the floor')
          const floor = await floorOf(stack, signals)
          await stack.parts.api.stop()
          const { kinds, functions } = sharesOf(folder, from, until, `${REPOSITORY}/`)
          return textOf(signals, { before, after, history, floor, kinds, functions })
        },
        { postgres: COUNTING },
      )
    } finally {
      if (!process.env['KEEP_PROFILES']) rmSync(folder, { recursive: true })
      else console.error(folder)
    }
  },
}

/** Microseconds of the monotonic clock, which profiles go by. */
const now = (): number => Number(process.hrtime.bigint() / 1_000n)

async function inTurn(call: () => Promise<void>, calls: number): Promise<void> {
  let left = calls
  const caller = async () => {
    while (left-- > 0) await call()
  }
  await Promise.all([caller(), caller(), caller(), caller()])
}

const whenClosed = (stack: Stack): Promise<void> =>
  eventually(
    async () => {
      const [open] = await stack.query<{ count: number }>(
        `select count(*)::int as count from signals s
         where not exists (select from signal_events e where e.signal_id = s.id and e.kind = 'closed')`,
      )
      if (open!.count > 0) throw new Error(`${open!.count} signals are not closed`)
    },
    { within: 180_000, every: 250 },
  )

const cpuOf = (stack: Stack): Record<string, number> =>
  Object.fromEntries(Object.entries(stack.processes()).map(([name, pid]) => [name, cpuMilliseconds(pid)]))

async function countsOf(stack: Stack): Promise<Counts> {
  const page = await (await fetch(`${stack.addresses.temporalMetrics}/metrics`)).text()
  const calls = new Map<string, number>()
  for (const [, labels = '', value] of page.matchAll(/^service_requests\{(.*)\} ([\d.e+]+)$/gm)) {
    const label = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1] ?? ''
    if (label('service_name') !== 'frontend') continue
    calls.set(label('operation'), (calls.get(label('operation')) ?? 0) + Number(value))
  }
  const [database] = await stack.query<{ transactions: number }>(
    `select (xact_commit + xact_rollback)::float8 as transactions from pg_stat_database where datname = current_database()`,
  )
  const statements = await statementsOf(stack)
  return { calls, transactions: database!.transactions, statements }
}

/** Events and bytes of the newest signals' histories. */
async function historyOf(stack: Stack): Promise<{ events: number; bytes: number }> {
  const { workflow } = await stack.temporal()
  const ids = await stack.query<{ id: string }>('select id from signals order by accepted_at desc limit 20')
  const found = await Promise.all(ids.map(({ id }) => workflow.getHandle(`signal-${id}`).describe()))
  const mean = (of: (each: (typeof found)[number]) => number) =>
    found.reduce((sum, each) => sum + of(each), 0) / found.length
  return {
    events: mean(({ historyLength }) => historyLength),
    bytes: mean(({ historySize }) => historySize ?? 0),
  }
}

async function floorOf(stack: Stack, calls: number): Promise<Record<string, number>> {
  const floor = await startFloor(stack)
  try {
    await inTurn(() => floor.call(), calls)
    const used = () =>
      Object.entries(floor.processes).map(([name, pid]) => [name, cpuMilliseconds(pid)] as const)
    const before = new Map(used())
    await inTurn(() => floor.call(), calls)
    return Object.fromEntries(used().map(([name, ms]) => [name, (ms - before.get(name)!) / calls]))
  } finally {
    await floor.close()
  }
}

interface Found {
  before: { cpu: Record<string, number>; counts: Counts }
  after: { cpu: Record<string, number>; counts: Counts }
  history: { events: number; bytes: number }
  floor: Record<string, number>
  kinds: Map<string, number>
  functions: Map<string, number>
}

function textOf(signals: number, { before, after, history, floor, kinds, functions }: Found): string {
  const each = (value: number, digits = 2) => (value / signals).toFixed(digits)
  const calls = [...after.counts.calls].map(
    ([name, count]) => [name, count - (before.counts.calls.get(name) ?? 0)] as const,
  )
  const statements = since(before.counts.statements, after.counts.statements)
  const sum = (of: (row: (typeof statements)[number]) => number) =>
    statements.reduce((total, row) => total + of(row), 0)
  const cpu = Object.entries(after.cpu).map(([name, ms]) => [name, ms - before.cpu[name]!] as const)
  const largest = <T>(rows: readonly T[], by: (row: T) => number, most = Number.POSITIVE_INFINITY) =>
    rows.toSorted((a, b) => by(b) - by(a)).slice(0, most)
  return [
    `One of ${signals} signals, four at once`,
    machineText(),
    '',
    ...table([
      ['', 'a signal'],
      [
        'statements',
        each(
          sum(({ calls: count }) => count),
          1,
        ),
      ],
      ['time of statements in PostgreSQL, ms', each(sum(({ ms }) => ms))],
      ['transactions', each(after.counts.transactions - before.counts.transactions, 1)],
      [
        'calls to Temporal',
        each(
          calls.reduce((total, [, count]) => total + count, 0),
          1,
        ),
      ],
      ['events of the history', history.events.toFixed(1)],
      ['bytes of the history', history.bytes.toFixed(0)],
    ]),
    '',
    ...table([
      ['processor time by process, ms', 'a signal', 'floor'],
      ...cpu.map(([name, ms]) => [name, each(ms), floor[name]?.toFixed(2) ?? '']),
      ['worker of the floor', '', floor['worker']!.toFixed(2)],
      [
        'all',
        each(cpu.reduce((total, [, ms]) => total + ms, 0)),
        Object.values(floor)
          .reduce((a, b) => a + b, 0)
          .toFixed(2),
      ],
    ]),
    '',
    ...table([
      ['processor time of the API by kind, ms', 'a signal'],
      ...largest([...kinds], ([, ms]) => ms).map(([name, ms]) => [name, each(ms)]),
    ]),
    '',
    ...table([
      ['dearest functions, ms', 'a signal'],
      ...largest([...functions], ([, ms]) => ms, MOST_FUNCTIONS).map(([name, ms]) => [name, each(ms, 3)]),
    ]),
    '',
    ...table([
      ['calls to Temporal', 'a signal'],
      ...largest(calls, ([, count]) => count)
        .filter(([, count]) => count > 0)
        .map(([name, count]) => [name, each(count)]),
    ]),
    '',
    'calls a signal, ms a signal: statement',
    ...largest(statements, ({ calls: count }) => count, MOST_STATEMENTS).map(
      ({ query, calls: count, ms }) => `${each(count)} ${each(ms, 3)} ${query.slice(0, 400)}`,
    ),
  ].join('\n')
}
