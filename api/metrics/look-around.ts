import type { Database } from '#db/engine/database.ts'
import { poolUse, type PoolUse } from '#db/engine/pool-use.ts'
import { readClockOffset } from '#db/watch/clock-offset.ts'
import { within } from '../http/deadline.ts'
import type { SignalGateway } from '../temporal/signals.ts'
import { diskSpace, type DiskSpace } from './disk-space.ts'

/** Milliseconds that each part has to answer. */
const LIMIT = 1_000

/** What an API process has around it. */
export interface Surroundings {
  isTemporalUp: boolean
  pools: Record<'trading' | 'ordinary', PoolUse>
  openStreams: number
  /** Of the data folder; null where the system does not tell. */
  disk: DiskSpace | null
  /** Seconds by which PostgreSQL's clock is ahead; null when it does not answer. */
  clockOffset: number | null
}

/** Where to look. */
export interface SurroundingParts {
  trading: Database
  ordinary: Database
  gateway: Pick<SignalGateway, 'checkReachable'>
  openStreams(): number
  dataFolder: string
}

/** Asks Temporal whether it answers and PostgreSQL for its time, and reads the rest. */
export async function lookAround(parts: SurroundingParts): Promise<Surroundings> {
  const { trading, ordinary, gateway, openStreams, dataFolder } = parts
  const [isTemporalUp, clockOffset, disk, ofTrading, ofOrdinary] = await Promise.all([
    within(LIMIT, 'Temporal', gateway.checkReachable(LIMIT)).then(
      () => true,
      () => false,
    ),
    within(LIMIT, 'the clock of the database', readClockOffset(ordinary.em.fork())).catch(() => null),
    diskSpace(dataFolder),
    poolUse(trading),
    poolUse(ordinary),
  ])
  return {
    isTemporalUp,
    clockOffset,
    disk,
    pools: { trading: ofTrading, ordinary: ofOrdinary },
    openStreams: openStreams(),
  }
}
