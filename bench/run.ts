import { Client, Connection } from '@temporalio/client'
import { Stack } from '#test/support/stack.ts'
import workerPackage from '@temporalio/worker/package.json' with { type: 'json' }
import { floor, koaRow, service, type Contestant } from './contestants.ts'
import { cpuMilliseconds } from './cpu.ts'
import { sendDownEveryPath, type HistorySizes } from './histories.ts'
import { drive, type Measured } from './load.ts'
import { LARGEST_BLOCK } from './minute-budget.ts'
import type { BenchOptions } from './options.ts'

export type ContestantName = 'floor' | 'service' | 'koa'

/** alone: one call at a time. together: many under way at once. */
const MODES = ['alone', 'together'] as const
type Mode = (typeof MODES)[number]

/** What a mode took, with the milliseconds until also the work behind the answers was done. */
export type Sum = Measured & { settledMs: number }

/** Everything that was measured of one contestant. */
export interface Tally extends Record<Mode, Sum> {
  /** Milliseconds of CPU by process, over all calls, the caller's among them. */
  cpuMs: Record<string, number>
}

/** What was measured, by the name of the program. */
export type Versions = Record<'Node' | 'Temporal server' | 'Temporal SDK' | 'PostgreSQL', string>

export interface BenchResult {
  options: BenchOptions
  tallies: Record<ContestantName, Tally>
  histories: HistorySizes
  versions: Versions
}

/** As the service is shipped, but for a deadline that cuts no measurement short; and PostgreSQL flushes for real. */
const SETTINGS = {
  api: { API_WORKER: 'on', SIGNAL_ANSWER_DEADLINE_MS: '30000' },
  postgres: { fsync: 'on', full_page_writes: 'on' },
}
const FEWEST_ROUNDS = 3
const WARM_UP_CALLS = 40

/** Brings the service up, lets the contestants take turns, and tears everything down. */
export async function runBench(options: BenchOptions, tell: (what: string) => void): Promise<BenchResult> {
  tell('starting the service')
  const stack = await Stack.start(SETTINGS)
  // Without the service's encryption: the floor is what Temporal itself costs.
  const client = new Client({ connection: await Connection.connect({ address: stack.addresses.temporal }) })
  const contestants = new Map<ContestantName, Contestant>()
  try {
    contestants.set('floor', await floor(stack, client))
    contestants.set('service', await service(stack))
    contestants.set('koa', await koaRow(stack))
    tell('warming up')
    for (const contestant of contestants.values()) await warmUp(contestant, options)
    const measureHistories = await sendDownEveryPath(stack, client)

    const tallies = { floor: emptyTally(), service: emptyTally(), koa: emptyTally() }
    const blocks = blocksOf(options.signals)
    for (const [index, calls] of blocks.entries()) {
      tell(`round ${index + 1} of ${blocks.length}`)
      for (const mode of MODES)
        for (const [name, contestant] of contestants)
          await measureBlock(
            contestant,
            calls,
            { mode, callers: mode === 'alone' ? 1 : options.concurrency },
            tallies[name],
          )
    }
    tell('waiting for the last exit')
    return {
      options,
      tallies,
      histories: await measureHistories(),
      versions: await versionsOf(stack, client),
    }
  } catch (error) {
    console.error(stack.logs())
    throw error
  } finally {
    for (const contestant of contestants.values()) await contestant.close()
    await client.connection.close()
    await stack.close()
  }
}

async function versionsOf(stack: Stack, client: Client): Promise<Versions> {
  const { serverVersion } = await client.workflowService.getSystemInfo({})
  const [row] = await stack.query<{ server_version: string }>('show server_version')
  return {
    Node: process.version.slice(1),
    'Temporal server': serverVersion ?? '',
    'Temporal SDK': workerPackage.version,
    PostgreSQL: row!.server_version,
  }
}

/** So many calls in equal rounds. */
function blocksOf(calls: number): number[] {
  const rounds = Math.max(Math.min(FEWEST_ROUNDS, calls), Math.ceil(calls / LARGEST_BLOCK))
  return Array.from({ length: rounds }, (_, round) => Math.floor((calls + round) / rounds))
}

const emptySum = (): Sum => ({ latencies: [], elapsedMs: 0, settledMs: 0 })
const emptyTally = (): Tally => ({ alone: emptySum(), together: emptySum(), cpuMs: {} })

async function warmUp(contestant: Contestant, { concurrency, signals }: BenchOptions): Promise<void> {
  const calls = Math.min(WARM_UP_CALLS, signals)
  for (const callers of [1, concurrency]) {
    await contestant.prepare(calls)
    await drive(() => contestant.call(), calls, callers)
  }
  await contestant.whenIdle()
}

/** One block of calls, with all that follows from them, added to the tally. */
async function measureBlock(
  contestant: Contestant,
  calls: number,
  { mode, callers }: { mode: Mode; callers: number },
  tally: Tally,
): Promise<void> {
  await contestant.prepare(calls)
  const before = cpuOf(contestant)
  const begun = performance.now()
  const { latencies, elapsedMs } = await drive(() => contestant.call(), calls, callers)
  await contestant.whenIdle()
  const sum = tally[mode]
  sum.latencies.push(...latencies)
  sum.elapsedMs += elapsedMs
  sum.settledMs += performance.now() - begun
  for (const [name, used] of Object.entries(cpuOf(contestant)))
    tally.cpuMs[name] = (tally.cpuMs[name] ?? 0) + used - before[name]!
}

/** Milliseconds of CPU so far, by process; the caller is this one. */
function cpuOf({ processes }: Contestant): Record<string, number> {
  const { user, system } = process.cpuUsage()
  const used = Object.entries(processes).map(([name, pid]) => [name, cpuMilliseconds(pid)])
  return { ...Object.fromEntries(used), caller: (user + system) / 1_000 }
}
