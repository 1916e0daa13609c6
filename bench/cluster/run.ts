import { setTimeout as sleep } from 'node:timers/promises'
import { Cluster, kindOf } from '#test/support/cluster.ts'
import { Stack } from '#test/support/stack.ts'
import { service, type Contestant } from '../contestants.ts'
import { cpuMilliseconds } from '../cpu.ts'
import { liftOrderLimit } from '#test/support/order-limit.ts'
import { emptyTally, takeTurns, warmUp, type BenchOptions, type Tally } from '../rounds.ts'
import { SETTINGS } from '../run.ts'
import { costOfSignal, type SignalCost } from './cost.ts'

/** What was measured of one way to run the service. */
export interface Side {
  /** How many processes do the work. */
  processes: number
  tally: Tally
  /** Milliseconds of CPU a second while nothing is sent, by kind of process. */
  idleCpu: Record<string, number>
}

export interface ClusterBench {
  options: BenchOptions
  default: Side
  cluster: Side
  cost: SignalCost
}

/** How long nothing is sent while the cost of being there is measured, in milliseconds. */
const IDLE_MS = 20_000

/** Brings both up, lets them take turns, measures what a signal costs on the cluster, and tears them down. */
export async function runClusterBench(
  options: BenchOptions,
  tell: (what: string) => void,
): Promise<ClusterBench> {
  tell('starting the default')
  const stack = await Stack.start(SETTINGS)
  let cluster: Cluster | undefined
  try {
    tell('starting the cluster')
    cluster = await Cluster.start({ api: SETTINGS.api })
    const sides = [
      { contestant: service(stack), tally: emptyTally() },
      { contestant: service(cluster), tally: emptyTally() },
    ] as const
    for (const each of [stack, cluster]) await liftOrderLimit(each)
    tell('warming up')
    for (const { contestant } of sides) await warmUp(contestant, options)
    await takeTurns(sides, options, tell)
    tell('sending nothing')
    const [idleDefault, idleCluster] = await idleCpuOf(sides.map(({ contestant }) => contestant))
    tell('measuring what a signal with its exit costs')
    const cost = await costOfSignal(cluster, options)
    return {
      options,
      default: sideOf(sides[0], idleDefault!),
      cluster: sideOf(sides[1], idleCluster!),
      cost,
    }
  } catch (error) {
    console.error(cluster?.logs() ?? stack.logs())
    throw error
  } finally {
    await stack.close()
    await cluster?.close()
  }
}

function sideOf(
  { contestant, tally }: { contestant: Contestant; tally: Tally },
  idleCpu: Record<string, number>,
): Side {
  return {
    processes: Object.keys(contestant.processes).length,
    tally: { ...tally, cpuMs: byKind(tally.cpuMs) },
    idleCpu,
  }
}

/** Of each contestant at the same time. */
async function idleCpuOf(contestants: readonly Contestant[]): Promise<Record<string, number>[]> {
  const used = () =>
    contestants.map(({ processes }) =>
      byKind(
        Object.fromEntries(Object.entries(processes).map(([name, pid]) => [name, cpuMilliseconds(pid)])),
      ),
    )
  const before = used()
  await sleep(IDLE_MS)
  return used().map((after, side) =>
    Object.fromEntries(
      Object.entries(after).map(([kind, ms]) => [kind, (ms - before[side]![kind]!) / (IDLE_MS / 1_000)]),
    ),
  )
}

/** The figures of processes of one kind added up. */
function byKind(byProcess: Record<string, number>): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const [name, figure] of Object.entries(byProcess))
    sums[kindOf(name)] = (sums[kindOf(name)] ?? 0) + figure
  return sums
}
