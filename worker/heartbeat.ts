import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { periodically, type Part } from '#config/periodically.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { recordHeartbeat, removeHeartbeat } from '#db/watch/worker-heartbeats.ts'
import type { Fleet } from './feed/owners.ts'

const WORKER_BEAT_MS = 1_000
/** Milliseconds without a sign after which a part is down. */
const DOWN_AFTER = 4_000
/** Milliseconds for which an answer of Temporal counts. */
const ASKED_AGAIN_AFTER = 1_500

type State = 'up' | 'down'
export type WorkerParts = Record<'database' | 'temporal' | 'worker', State>

export interface HeartbeatDependencies {
  em: EntityManager
  taskQueue: string
  buildId: string
  isPolling(): boolean
  /** Throws when Temporal does not answer within a second. */
  checkTemporal(): Promise<void>
  log: Logger
}

/**
 * Records once a second that this worker runs, for the API and other workers. It beats only while it asks for tasks and
 * reaches Temporal, so that a heartbeat means that tasks are taken.
 */
export function createHeartbeat({
  em,
  taskQueue,
  buildId,
  isPolling,
  checkTemporal,
  log,
}: HeartbeatDependencies): Part &
  Fleet & {
    readonly parts: WorkerParts
  } {
  const workerId = randomUUID()
  let followers: readonly string[] | null = null
  const seenUpAt = { database: Number.NEGATIVE_INFINITY, temporal: Number.NEGATIVE_INFINITY }
  const stateOf = (part: 'database' | 'temporal'): State =>
    seenUpAt[part] > performance.now() - DOWN_AFTER ? 'up' : 'down'

  async function beat(): Promise<number> {
    const began = performance.now()
    try {
      if (began - seenUpAt.temporal > ASKED_AGAIN_AFTER) {
        await checkTemporal()
        seenUpAt.temporal = performance.now()
      }
      if (isPolling()) {
        followers = await recordHeartbeat(em, { workerId, taskQueue, buildId })
        seenUpAt.database = performance.now()
      }
    } catch (error) {
      log.warn({ err: error }, 'no heartbeat: Temporal or the database does not answer')
    }
    return Math.max(0, WORKER_BEAT_MS - (performance.now() - began))
  }
  const beats = periodically('heartbeat', WORKER_BEAT_MS, beat, log)
  return {
    workerId,
    get followers() {
      return followers
    },
    get parts() {
      return {
        database: stateOf('database'),
        temporal: stateOf('temporal'),
        worker: isPolling() ? 'up' : 'down',
      } as const
    },
    start: beats.start,
    async stop() {
      await beats.stop()
      await removeHeartbeat(em, workerId).catch((error: unknown) =>
        log.warn({ err: error }, 'the heartbeat could not be ended; it ends by itself in a few seconds'),
      )
    },
  }
}
