import { lettersOf } from '#test/support/letters.ts'
import type { Stack } from '#test/support/stack.ts'
import { cpuMilliseconds, figuresOf } from './process-table.ts'
import { startFloor } from './floor.ts'
import {
  drive,
  driveInBlocks,
  machineText,
  MOST_IN_A_ROW,
  milliseconds,
  percentile,
  ratio,
  table,
  type Measured,
} from './measure.ts'
import { createMinuteBudget } from './minute-budget.ts'
import { numberOption, type Scenario } from './options.ts'
import { sendSignal, UNBOUNDED, whenClosed } from './send.ts'
import { withStack } from './with-stack.ts'

interface Amount {
  /** Calls made one at a time; the same number follows with several at once. */
  signals: number
  concurrency: number
  warmUp: number
}

type Mode = 'alone' | 'together'

interface Contestant {
  title: string
  /** Process ids by name, without this process, which makes the calls. */
  processes: Record<string, number>
  /** Waits until that number of calls may follow. */
  prepare(calls: number): Promise<void>
  call(): Promise<void>
  /** Waits until the work behind the answers is done. */
  whenIdle(): Promise<void>
  /** Sums; `settledMs` also counts the work behind the answers. */
  sums: Record<Mode, Measured & { settledMs: number }>
  /** Milliseconds by process, of all calls. */
  cpuMs: Record<string, number>
}

/** Symbols of entries in turn: the number that a busy account holds. */
const HELD = 10
/** Symbols of signals with an exit in turn. */
const LEFT = 100
const FEWEST_ROUNDS = 3

export const signal: Scenario<Amount> = {
  about: `Measures a signal that buys at market, without an exit and with an exit at once, against a floor of the same run: the
smallest Temporal workflow that runs one local activity and answers by update-with-start on the same server. The three take turns,
so that the machine's other work meets all of them. Takes about four minutes.`,
  options: {
    signals: numberOption('calls of each, one at a time, and as many again at once', 300),
    concurrency: numberOption('calls at once in the second half', 20),
    warmUp: numberOption('calls before the measurement, while Node still compiles', 2_000),
  },
  run: (amount, report) =>
    withStack(UNBOUNDED, async (stack) => {
      report('warming up')
      const floorProcess = await startFloor(stack)
      try {
        const [entry, withExit] = contestantsOf(stack)
        const floor: Contestant = {
          title: 'floor',
          ...floorProcess,
          prepare: async () => {},
          whenIdle: async () => {},
          ...emptySums(),
        }
        await warmUp(floor, amount.warmUp, amount.concurrency)
        for (const half of [entry, withExit]) await warmUp(half, amount.warmUp / 2, amount.concurrency)
        await queueFairly([floor, entry, withExit], amount, report)
        return textOf(amount, floor, [entry, withExit])
      } finally {
        await floorProcess.close()
      }
    }),
}

const emptySums = (): Pick<Contestant, 'sums' | 'cpuMs'> => ({
  sums: {
    alone: { latencies: [], elapsedMs: 0, settledMs: 0 },
    together: { latencies: [], elapsedMs: 0, settledMs: 0 },
  },
  cpuMs: {},
})

/** A signal without an exit, and one with an exit at once; both count toward the account's limit per minute. */
function contestantsOf(stack: Stack): [Contestant, Contestant] {
  const budget = createMinuteBudget()
  let sent = 0
  const contestant = (title: string, symbols: number, exit: object): Contestant => ({
    title,
    processes: stack.processes(),
    prepare: budget,
    call: () =>
      sendSignal(stack, { symbol: `ZT${lettersOf(symbols)}X${lettersOf(sent++ % symbols)}`, ...exit }),
    whenIdle: () => whenClosed(stack),
    ...emptySums(),
  })
  return [contestant('entry', HELD, {}), contestant('entry and exit', LEFT, { exitTriggerType: 'immediate' })]
}

async function warmUp(contestant: Contestant, calls: number, concurrency: number): Promise<void> {
  await driveInBlocks(contestant, Math.ceil(calls), concurrency)
  await contestant.whenIdle()
}

async function queueFairly(
  contestants: readonly Contestant[],
  { signals, concurrency }: Amount,
  report: (progress: string) => void,
): Promise<void> {
  const rounds = Math.max(Math.min(FEWEST_ROUNDS, signals), Math.ceil(signals / MOST_IN_A_ROW))
  for (let round = 0; round < rounds; round += 1) {
    report(`round ${round + 1} of ${rounds}`)
    const calls = Math.floor((signals + round) / rounds)
    // Each contestant goes first as often as last.
    const order = round % 2 === 0 ? contestants : contestants.toReversed()
    for (const contestant of order) await measureBlock(contestant, calls, 'alone', 1)
    for (const contestant of order) await measureBlock(contestant, calls, 'together', concurrency)
  }
}

async function measureBlock(
  contestant: Contestant,
  calls: number,
  mode: Mode,
  concurrency: number,
): Promise<void> {
  await contestant.prepare(calls)
  const before = cpuOf(contestant)
  const begun = performance.now()
  const { latencies, elapsedMs } = await drive(() => contestant.call(), calls, concurrency)
  await contestant.whenIdle()
  const sum = contestant.sums[mode]
  sum.latencies.push(...latencies)
  sum.elapsedMs += elapsedMs
  sum.settledMs += performance.now() - begun
  for (const [name, used] of Object.entries(cpuOf(contestant)))
    contestant.cpuMs[name] = (contestant.cpuMs[name] ?? 0) + used - before[name]!
}

/** Milliseconds of CPU so far; the caller is this process. */
function cpuOf({ processes }: Contestant): Record<string, number> {
  const { user, system } = process.cpuUsage()
  return { ...figuresOf(processes, cpuMilliseconds), caller: (user + system) / 1_000 }
}

const rowsOf = (concurrency: number): [string, (contestant: Contestant) => number][] => [
  ['p50 one at a time, ms', ({ sums: { alone } }) => percentile(alone.latencies, 0.5)],
  [`p50 with ${concurrency} at once, ms`, ({ sums: { together } }) => percentile(together.latencies, 0.5)],
  ['answered a second', ({ sums: { together } }) => (together.latencies.length * 1_000) / together.elapsedMs],
  ['settled a second', ({ sums: { together } }) => (together.latencies.length * 1_000) / together.settledMs],
  [
    'CPU of a call, ms',
    (contestant) => Object.values(cpuPerCall(contestant)).reduce((sum, each) => sum + each, 0),
  ],
]

function cpuPerCall({ sums, cpuMs }: Contestant): Record<string, number> {
  const calls = sums.alone.latencies.length + sums.together.latencies.length
  return Object.fromEntries(Object.entries(cpuMs).map(([name, used]) => [name, used / calls]))
}

function textOf({ signals, concurrency }: Amount, floor: Contestant, signalKinds: Contestant[]): string {
  return [
    `${signals} calls one at a time, ${signals} with ${concurrency} at once; in brackets the ratio to the floor`,
    machineText(),
    '',
    ...table([
      ['', floor.title, ...signalKinds.flatMap(({ title }) => [title, ''])],
      ...rowsOf(concurrency).map(([title, figure]) => [
        title,
        figure(floor).toFixed(1),
        ...signalKinds.flatMap((kind) => [
          figure(kind).toFixed(1),
          `(${ratio(figure(kind), figure(floor))})`,
        ]),
      ]),
    ]),
    '',
    'CPU of a call by process',
    ...[floor, ...signalKinds].map(
      (contestant) =>
        `${contestant.title}: ${Object.entries(cpuPerCall(contestant))
          .map(([name, used]) => `${name} ${milliseconds(used)}`)
          .join(', ')}`,
    ),
  ].join('\n')
}
