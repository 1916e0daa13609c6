import type { Database } from '#db/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { markStarted, unstartedSignals } from '#db/signals.ts'
import { workflowIdFor } from '#domain/signal.ts'
import type { Logger } from 'pino'
import { within } from './deadline.ts'
import { GatewayUnavailable, type SignalGateway } from './signal-gateway.ts'
import { termsOf } from './signals/terms.ts'

/** Milliseconds between two sweeps. */
const INTERVAL = 1_000
/** Signals a sweep takes on at most, and how many of them at once. */
const BATCH = 100
const AT_ONCE = 4
/** Milliseconds after which database work is given up; the next sweep tries again. */
const DATABASE_LIMIT = 5_000
/** Milliseconds until a signal that could not be started is tried again: growing when it is its own fault. */
const SHORTEST_WAIT = 2_000
const LONGEST_WAIT = 300_000

/** Starts the workflows of signals that were stored and not started. */
export interface Sweeper {
  start(): void
  /** Resolves when the sweep that may be running has ended. */
  stop(): Promise<void>
}

/**
 * A signal is stored before its workflow is started, so that none is lost in between; what a crash or an outage
 * left behind there, the sweeper starts. Starting is idempotent, so several API processes may sweep at once.
 * One signal that cannot be started is tried at growing distances and holds up no other.
 */
export function createSweeper(deps: { database: Database; gateway: SignalGateway; logger: Logger }): Sweeper {
  const { database, gateway, logger } = deps
  const postponed = new Postponed()
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const stopping = new AbortController()

  async function startOne(signal: Signal): Promise<void> {
    await gateway.start(termsOf(signal))
    await within(DATABASE_LIMIT, 'the database', markStarted(database.em.fork(), signal.userId, signal.id))
    postponed.forget(signal.id)
    logger.info({ signalId: signal.id, workflowId: workflowIdFor(signal.id) }, 'the sweeper started a signal')
  }

  /** Takes signals off the queue one after the other until it is empty or the engine cannot be reached. */
  async function drain(queue: Signal[]): Promise<void> {
    for (let signal = queue.shift(); signal && !stopping.signal.aborted; signal = queue.shift()) {
      try {
        await startOne(signal)
      } catch (error) {
        const isOutage = error instanceof GatewayUnavailable
        const wait = postponed.postpone(signal.id, isOutage)
        const log = { err: error, signalId: signal.id, workflowId: workflowIdFor(signal.id), retryInMs: wait }
        if (isOutage) logger.warn(log, 'Temporal cannot be reached; the sweeper tries again')
        else logger.error(log, 'a stored signal could not be started')
        if (isOutage) queue.length = 0
      }
    }
  }

  async function sweep(): Promise<void> {
    try {
      const found = unstartedSignals(database.em.fork(), postponed.waiting(), BATCH)
      const queue = await within(DATABASE_LIMIT, 'the database', found)
      await Promise.all(Array.from({ length: AT_ONCE }, () => drain(queue)))
    } catch (error) {
      logger.warn({ err: error }, 'the sweeper could not read the stored signals')
    }
  }

  function plan(delay: number): void {
    timer = setTimeout(() => {
      running = sweep().finally(() => {
        if (!stopping.signal.aborted) plan(INTERVAL)
      })
    }, delay)
  }

  return {
    start: () => plan(0),
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await running
    },
  }
}

/** Signals that are left alone for a while. */
class Postponed {
  readonly #signals = new Map<string, { until: number; attempts: number }>()

  /** Leaves the signal alone for a while, and returns how long. An outage is not the signal's fault. */
  postpone(signalId: string, isOutage: boolean): number {
    const attempts = (this.#signals.get(signalId)?.attempts ?? 0) + (isOutage ? 0 : 1)
    const wait = Math.min(SHORTEST_WAIT * 2 ** Math.max(attempts - 1, 0), LONGEST_WAIT)
    this.#signals.set(signalId, { until: performance.now() + wait, attempts })
    return wait
  }

  forget(signalId: string): void {
    this.#signals.delete(signalId)
  }

  /** The signals that are not to be touched yet. */
  waiting(): string[] {
    const now = performance.now()
    for (const [id, { until }] of this.#signals) {
      // Tried long since, or started by somebody else.
      if (until < now - LONGEST_WAIT) this.#signals.delete(id)
    }
    return [...this.#signals].flatMap(([id, { until }]) => (until > now ? [id] : []))
  }
}
