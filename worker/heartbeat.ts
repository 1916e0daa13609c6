import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { EntityManager } from '#db/engine/database.ts'
import { recordHeartbeat, removeHeartbeat } from '#db/watch/worker-heartbeats.ts'
import type { Fleet } from './feed/owners.ts'
import { pauseUnless } from './feed/pause.ts'

/** Milliseconds between two heartbeats. */
const WORKER_BEAT_MS = 1_000
/** What has not been seen up for so many milliseconds is down. */
const DOWN_AFTER = 4_000

type State = 'up' | 'down'
/** What a worker needs to do its work: its process taking tasks, and the two servers. */
export type WorkerParts = Record<'database' | 'temporal' | 'worker', State>

export interface HeartbeatDependencies {
  em: EntityManager
  taskQueue: string
  buildId: string
  /** Whether the worker runs in the process of an API. */
  inApi: boolean
  /** Whether the worker asks for tasks now. */
  isPolling(): boolean
  /** Throws when Temporal does not answer within a second. */
  checkTemporal(): Promise<void>
  log: Logger
}

/**
 * Tells everybody, once a second, that this worker runs: in the database, which the API and the other workers ask. It
 * beats only while it asks for tasks and reaches Temporal, so that a heartbeat means that tasks are taken.
 */
export class Heartbeat implements Fleet {
  readonly workerId = randomUUID()
  #followers: readonly string[] | null = null
  readonly #deps: HeartbeatDependencies
  readonly #seenUpAt = { database: 0, temporal: 0 }

  constructor(deps: HeartbeatDependencies) {
    this.#deps = deps
  }

  /** Which parts have shown within the last seconds that they are there. */
  get parts(): WorkerParts {
    const since = performance.now() - DOWN_AFTER
    const stateOf = (part: 'database' | 'temporal'): State =>
      this.#seenUpAt[part] > since && this.#seenUpAt[part] > 0 ? 'up' : 'down'
    return {
      database: stateOf('database'),
      temporal: stateOf('temporal'),
      worker: this.#deps.isPolling() ? 'up' : 'down',
    }
  }

  get followers(): readonly string[] | null {
    return this.#followers
  }

  /** Beats until aborted; then the worker does not count any more. */
  async run(signal: AbortSignal): Promise<void> {
    const { em, log } = this.#deps
    while (!signal.aborted) {
      const began = performance.now()
      await this.#beat()
      await pauseUnless(signal, Math.max(0, WORKER_BEAT_MS - (performance.now() - began)))
    }
    await removeHeartbeat(em, this.workerId).catch((error: unknown) =>
      log.warn({ err: error }, 'the heartbeat could not be ended; it is over in a few seconds'),
    )
  }

  async #beat(): Promise<void> {
    const { em, taskQueue, buildId, inApi, isPolling, checkTemporal, log } = this.#deps
    try {
      await checkTemporal()
      this.#seenUpAt.temporal = performance.now()
      if (!isPolling()) return
      this.#followers = await recordHeartbeat(em, { workerId: this.workerId, taskQueue, buildId, inApi })
      this.#seenUpAt.database = performance.now()
    } catch (error) {
      log.warn({ err: error }, 'no heartbeat: Temporal or the database does not answer')
    }
  }
}
