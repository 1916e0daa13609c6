import { pauseAfter } from '#domain/backoff.ts'
import { forEachAtMost } from '#domain/for-each-at-most.ts'
import type { Database } from '#db/engine/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { dueWithdrawals } from '#db/signals/of-tokens.ts'
import { markManualOrderStarted, unstartedManualOrders } from '#db/orders/manual-orders.ts'
import { markStarted, unstartedSignals } from '#db/signals/signals.ts'
import { orderWorkflowIdFor } from '#domain/manual-order.ts'
import { workflowIdFor } from '#domain/signal.ts'
import type { Logger } from 'pino'
import { within } from '../http/deadline.ts'
import type { OrderGateway } from '../temporal/orders.ts'
import { GatewayUnavailable, UpdateRejected, WorkflowOver, type SignalGateway } from '../temporal/signals.ts'
import { recipientOf } from '../signals/recipient.ts'
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

/** Milliseconds that a signal is given to be withdrawn. */
const WITHDRAWAL_LIMIT = 5_000

/**
 * Starts the workflows of signals, and of manual orders, that were stored and not started, and withdraws signals whose token
 * was revoked with them.
 */
export interface Sweeper {
  start(): void
  /** Resolves when the sweep that may be running has ended. */
  stop(): Promise<void>
}

/** Something that was stored, and that its workflow is to be told or started for. */
interface Stored {
  id: string
  workflowId: string
  tell(): Promise<void>
  /** Notes that this is done, where nothing else does. */
  markTold(): Promise<void>
}

/**
 * A signal is stored before its workflow is started, so that none is lost in between; what a crash or an outage
 * left behind there, the sweeper starts. Starting is idempotent, so several API processes may sweep at once.
 * Manual orders are alike, and the withdrawals of a revoked token, which is revoked before they are asked for. One that cannot be started is tried at growing distances and holds up no other.
 */
export function createSweeper(deps: {
  database: Database
  gateway: Pick<SignalGateway, 'start' | 'withdraw'> & Pick<OrderGateway, 'startOrder'>
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
    const withdrawals = await dueWithdrawals(em, null, waiting, BATCH)
    const signals = await unstartedSignals(em, waiting, BATCH)
    const orders = await unstartedManualOrders(em, waiting, BATCH)
    return [
      ...withdrawals.map(({ signal, by }) => ({
        id: signal.id,
        workflowId: workflowIdFor(signal.id),
        tell: () => withdraw(signal, by),
        // The ledger shows it.
        markTold: async () => {},
      })),
      ...signals.map((signal) => ({
        id: signal.id,
        workflowId: workflowIdFor(signal.id),
        tell: () => gateway.start(termsOf(signal)),
        markTold: () => markStarted(database.em.fork(), signal.userId, signal.id),
      })),
      ...orders.map((terms) => ({
        id: terms.orderId,
        workflowId: orderWorkflowIdFor(terms.orderId),
        tell: () => gateway.startOrder(terms),
        markTold: () => markManualOrderStarted(database.em.fork(), terms),
      })),
    ]
  }

  /** A signal that is sent at this moment, or has ended, needs no withdrawal any more. */
  async function withdraw(signal: Signal, by: string): Promise<void> {
    try {
      await gateway.withdraw(recipientOf(signal), { by }, WITHDRAWAL_LIMIT)
    } catch (error) {
      if (!(error instanceof WorkflowOver) && !(error instanceof UpdateRejected)) throw error
    }
  }

  async function startOne(stored: Stored): Promise<void> {
    await stored.tell()
    await within(DATABASE_LIMIT, 'the database', stored.markTold())
    postponed.forget(stored.id)
    logger.info({ workflowId: stored.workflowId }, 'the sweeper took on what was stored')
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
