import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Database } from '#db/engine/database.ts'
import { poolUse, type PoolUse } from '#db/engine/pool-use.ts'
import { readClockDifference } from '#db/watch/clock-difference.ts'
import { within } from '../http/deadline.ts'
import type { WorkUse } from '../http/work-bounds.ts'
import type { SignalGateway } from '../temporal/calls.ts'

export interface DiskSpace {
  freeBytes: number
  sizeBytes: number
}

/** Uses the nearest existing parent; null where the system reports none. */
export async function diskSpace(folder: string): Promise<DiskSpace | null> {
  const path = resolve(folder)
  try {
    const { bavail, blocks, bsize } = await statfs(path)
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT' && dirname(path) !== path
    return isAbsent ? diskSpace(dirname(path)) : null
  }
}

const METRICS_LIMIT_MS = 1_000

export interface DependencyProbes {
  isTemporalUp: boolean
  pools: Record<'trading' | 'stopping' | 'ordinary', PoolUse>
  work: ReturnType<WorkUse['use']>
  openStreams: number
  disk: DiskSpace | null
  /** Seconds between PostgreSQL's clock and ours; null without an answer. */
  clockDifference: number | null
}

export interface ProbedDependencies {
  trading: Database
  stopping: Database
  ordinary: Database
  gateway: Pick<SignalGateway, 'checkReachable'>
  work: WorkUse
  openStreams(): number
  dataFolder: string
}

export async function probeDependencies(parts: ProbedDependencies): Promise<DependencyProbes> {
  const { trading, stopping, ordinary, gateway, work, openStreams, dataFolder } = parts
  const pools = {
    trading: await poolUse(trading),
    stopping: await poolUse(stopping),
    ordinary: await poolUse(ordinary),
  }
  const [isTemporalUp, clockDifference, disk] = await Promise.all([
    within(METRICS_LIMIT_MS, 'Temporal', gateway.checkReachable(METRICS_LIMIT_MS)).then(
      () => true,
      () => false,
    ),
    within(METRICS_LIMIT_MS, 'the clock of the database', readClockDifference(ordinary.em.fork())).then(
      Math.abs,
      () => null,
    ),
    diskSpace(dataFolder),
  ])
  return {
    isTemporalUp,
    clockDifference,
    disk,
    pools,
    work: work.use(),
    openStreams: openStreams(),
  }
}
