import type { Contestant } from './contestants.ts'
import { cpuMilliseconds } from './cpu.ts'
import { drive, type Measured } from './load.ts'

/** How much is measured of each contestant. */
export interface BenchOptions {
  /** Signals sent one at a time, and as many again at once; each contestant gets as many. */
  signals: number
  /** How many are under way at once in the second half. */
  concurrency: number
  /** Calls of each contestant before anything is measured. */
  warmUp: number
}

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

const FEWEST_ROUNDS = 3
/** Calls in a row, so that a change of what else the machine does meets every contestant. */
const MOST_IN_A_ROW = 500
/** Calls of a warm-up that are made one at a time. */
const WARM_UP_ALONE = 100

/** So many calls in equal rounds. */
function blocksOf(calls: number): number[] {
  const rounds = Math.max(Math.min(FEWEST_ROUNDS, calls), Math.ceil(calls / MOST_IN_A_ROW))
  return Array.from({ length: rounds }, (_, round) => Math.floor((calls + round) / rounds))
}

const emptySum = (): Sum => ({ latencies: [], elapsedMs: 0, settledMs: 0 })
export const emptyTally = (): Tally => ({ alone: emptySum(), together: emptySum(), cpuMs: {} })

/** Makes calls until V8 has compiled what they run: it does so for the first two thousand, beside their work. */
export async function warmUp(
  contestant: Contestant,
  { concurrency, warmUp: calls }: BenchOptions,
): Promise<void> {
  const alone = Math.min(WARM_UP_ALONE, calls)
  await contestant.prepare(alone)
  await drive(() => contestant.call(), alone, 1)
  for (let left = calls - alone; left > 0; left -= MOST_IN_A_ROW) {
    const block = Math.min(left, MOST_IN_A_ROW)
    await contestant.prepare(block)
    await drive(() => contestant.call(), block, concurrency)
  }
  await contestant.whenIdle()
}

/** A contestant and what was measured of it. */
export interface Side {
  contestant: Contestant
  tally: Tally
}

/** Lets contestants take turns, block by block, one call at a time and many at once. */
export async function takeTurns(
  sides: readonly Side[],
  { signals, concurrency }: BenchOptions,
  tell: (what: string) => void,
): Promise<void> {
  const blocks = blocksOf(signals)
  for (const [index, calls] of blocks.entries()) {
    tell(`round ${index + 1} of ${blocks.length}`)
    for (const mode of MODES)
      // Each goes first as often as last.
      for (const { contestant, tally } of index % 2 === 0 ? sides : sides.toReversed())
        await measureBlock(contestant, calls, { mode, callers: mode === 'alone' ? 1 : concurrency }, tally)
  }
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
