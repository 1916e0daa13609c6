import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { lettersOf } from '#test/support/letters.ts'
import type { Stack } from '#test/support/stack.ts'
import { sharesOf } from './cost/profiles.ts'
import { costText, type Reading } from './cost/report.ts'
import { COUNTING, countStatements, statementsOf } from './cost/statements.ts'
import { startFloor } from './floor.ts'
import { drive, driveInBlocks } from './measure.ts'
import { createMinuteBudget } from './minute-budget.ts'
import { numberOption, type Scenario } from './options.ts'
import { cpuMilliseconds, figuresOf, residentMiB } from './process-table.ts'
import { sendSignal, UNBOUNDED, whenClosed } from './send.ts'
import { withStack } from './with-stack.ts'

/** Number of symbols in turn: exits of one symbol wait for each other's fills. */
const SYMBOLS = 100
const AT_ONCE = 4

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
          const budget = createMinuteBudget()
          await driveInBlocks({ call, prepare: budget }, warmUp, AT_ONCE)
          await whenClosed(stack)
          await budget(signals)
          report(`measuring ${signals} signals`)
          const before = await read(stack)
          const from = now()
          await drive(call, signals, AT_ONCE)
          await whenClosed(stack)
          const until = now()
          const after = await read(stack)
          const history = await historyOf(stack)
          const memory = figuresOf(stack.processes(), residentMiB)
          report('measuring the floor')
          const floor = await floorOf(stack, signals)
          await stack.parts.api.stop()
          const shares = sharesOf(folder, { from, until, project: `${REPOSITORY}/` })
          return costText({ signals, before, after, history, floor, shares, memory })
        },
        { postgres: COUNTING },
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

/** Microseconds of the monotonic clock, which profiles use. */
const now = (): number => Number(process.hrtime.bigint() / 1_000n)

async function read(stack: Stack): Promise<Reading> {
  const cpu = figuresOf(stack.processes(), cpuMilliseconds)
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
  return { calls, transactions: database!.transactions, statements, cpu }
}

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
    await drive(() => floor.call(), calls, AT_ONCE)
    const before = figuresOf(floor.processes, cpuMilliseconds)
    await drive(() => floor.call(), calls, AT_ONCE)
    const used = Object.entries(figuresOf(floor.processes, cpuMilliseconds))
    return Object.fromEntries(used.map(([name, ms]) => [name, (ms - before[name]!) / calls]))
  } finally {
    await floor.close()
  }
}
