import { pauseAfter } from '#domain/backoff.ts'
import { forEachAtMost } from '#domain/for-each-at-most.ts'
import type { Database } from '#db/engine/database.ts'
import { markManualOrderStarted, unstartedManualOrders } from '#db/orders/manual-orders.ts'
import { markStarted, unstartedSignals } from '#db/signals/signals.ts'
import { orderWorkflowIdFor } from '#domain/manual-order.ts'
import { workflowIdFor } from '#domain/signal.ts'
import type { Logger } from 'pino'
import { within } from '../http/deadline.ts'
import type { OrderGateway } from '../temporal/orders.ts'
import { GatewayUnavailable, type SignalGateway } from '../temporal/signals.ts'
import { termsOf } from '#db/signals/terms.ts'

/** Milliseconds between two sweeps. */
const INTERVAL = 1_000
/** Signals and orders of each that a sweep takes on at most, and how many of them at once. */
const BATCH = 100
const AT_ONCE = 4
/** Milliseconds after which database work is given up; the next sweep tries again. */
const DATABASE_LIMIT = 5_000
/** Milliseconds until one that could not be started is tried again: growing when it is its own fault. */
const MIN_WAIT = 2_000
const MAX_WAIT = 300_000

/** Starts the workflows of signals, and of manual orders, that were stored and not started. */
export interface Sweeper {
  start(): void
  /** Resolves when the sweep that may be running has ended. */
  stop(): Promise<void>
}

/** Something that was stored and whose workflow is not known to run. */
interface Stored {
  id: string
  workflowId: string
  start(): Promise<void>
  markStarted(): Promise<void>
}

/**
 * A signal is stored before its workflow is started, so that none is lost in between; what a crash or an outage
 * left behind there, the sweeper starts. Starting is idempotent, so several API processes may sweep at once.
 * Manual orders are alike. One that cannot be started is tried at growing distances and holds up no other.
 */
export function createSweeper(deps: {
  database: Database
  gateway: Pick<SignalGateway, 'start'> & Pick<OrderGateway, 'startOrder'>
  logger: Logger
}): Sweeper {
  const { database, gateway, logger } = deps
  const postponed = new Postponed()
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const stopping = new AbortController()

  async function readStored(): Promise<Stored[]> {
    const em = database.em.fork()
    const waiting = postponed.waiting()
    const signals = await unstartedSignals(em, waiting, BATCH)
    const orders = await unstartedManualOrders(em, waiting, BATCH)
    return [
      ...signals.map((signal) => ({
        id: signal.id,
        workflowId: workflowIdFor(signal.id),
        start: () => gateway.start(termsOf(signal)),
        markStarted: () => markStarted(database.em.fork(), signal.userId, signal.id),
      })),
      ...orders.map((terms) => ({
        id: terms.orderId,
        workflowId: orderWorkflowIdFor(terms.orderId),
        start: () => gateway.startOrder(terms),
        markStarted: () => markManualOrderStarted(database.em.fork(), terms),
      })),
    ]
  }

  async function startOne(stored: Stored): Promise<void> {
    await stored.start()
    await within(DATABASE_LIMIT, 'the database', stored.markStarted())
    postponed.forget(stored.id)
    logger.info({ workflowId: stored.workflowId }, 'the sweeper started what was stored')
  }

  /** Starts them, unless the engine cannot be reached. */
  async function startAll(queue: readonly Stored[]): Promise<void> {
    let isOutage = false
    await forEachAtMost(AT_ONCE, queue, async (stored) => {
      if (isOutage || stopping.signal.aborted) return
      try {
        await startOne(stored)
      } catch (error) {
        isOutage ||= error instanceof GatewayUnavailable
        const wait = postponed.postpone(stored.id, error instanceof GatewayUnavailable)
        const log = { err: error, workflowId: stored.workflowId, retryInMs: wait }
        if (error instanceof GatewayUnavailable)
          logger.warn(log, 'Temporal cannot be reached; the sweeper tries again')
        else logger.error(log, 'what was stored could not be started')
      }
    })
  }

  async function sweep(): Promise<void> {
    try {
      await startAll(await within(DATABASE_LIMIT, 'the database', readStored()))
    } catch (error) {
      logger.warn({ err: error }, 'the sweeper could not read what was stored')
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

/** Signals and orders that are left alone for a while, by their ids. */
class Postponed {
  readonly #waits = new Map<string, { until: number; attempts: number }>()

  /** Leaves one alone for a while, and returns how long. An outage is not its fault. */
  postpone(id: string, isOutage: boolean): number {
    const attempts = (this.#waits.get(id)?.attempts ?? 0) + (isOutage ? 0 : 1)
    const wait = pauseAfter(Math.max(attempts, 1), { first: MIN_WAIT, most: MAX_WAIT })
    this.#waits.set(id, { until: performance.now() + wait, attempts })
    return wait
  }

  forget(id: string): void {
    this.#waits.delete(id)
  }

  /** Those that are not to be touched yet. */
  waiting(): string[] {
    const now = performance.now()
    for (const [id, { until }] of this.#waits) {
      // Tried long since, or started by somebody else.
      if (until < now - MAX_WAIT) this.#waits.delete(id)
    }
    return [...this.#waits].flatMap(([id, { until }]) => (until > now ? [id] : []))
  }
}
