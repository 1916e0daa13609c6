import { periodically, type Part } from '#config/periodically.ts'
import { pauseAfter } from '#domain/backoff.ts'
import { forEachAtMost } from '#domain/for-each-at-most.ts'
import type { Database } from '#db/engine/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { markFlatteningStarted, unstartedFlattenings } from '#db/flatten/flattenings.ts'
import { dueWithdrawals } from '#db/signals/of-tokens.ts'
import { markManualOrderStarted, unstartedManualOrders } from '#db/orders/manual-orders.ts'
import { markStarted, unstartedSignals } from '#db/signals/signals.ts'
import { flattenWorkflowIdFor } from '#domain/flatten.ts'
import { orderWorkflowIdFor } from '#domain/manual-order.ts'
import { workflowIdFor } from '#domain/signal.ts'
import type { Logger } from 'pino'
import { within } from '../http/deadline.ts'
import type { FlattenGateway } from '../temporal/flatten.ts'
import type { OrderGateway } from '../temporal/orders.ts'
import {
  AnswerOverdue,
  GatewayUnavailable,
  UpdateRejected,
  WorkflowOver,
  type SignalGateway,
} from '../temporal/signals.ts'
import { recipientOf } from '../signals/recipient.ts'
import { termsOf } from '#db/signals/terms.ts'

const SWEEP_BATCH = 200
const SWEPT_AT_ONCE = 4
const SWEEP_DATABASE_LIMIT_MS = 5_000
const MAX_START_WAIT_MS = 300_000

const WITHDRAWAL_LIMIT_MS = 5_000

interface Pace {
  everyMs: number
  secondTryAfterMs: number
}
const PACE: Pace = { everyMs: 1_000, secondTryAfterMs: 2_000 }

interface Stored {
  id: string
  workflowId: string
  /** Nobody else starts it, and no sender was told of it. */
  isOurs: boolean
  tell(): Promise<void>
  markTold(): Promise<void>
}

/** Starting is idempotent: several processes may sweep. Failures hold up no others. */
export function createSweeper(deps: {
  database: Database
  gateway: Pick<SignalGateway, 'start' | 'withdraw'> &
    Pick<OrderGateway, 'startOrder'> &
    Pick<FlattenGateway, 'startFlattening'>
  logger: Logger
  pace?: Pace
}): Part {
  const { database, gateway, logger, pace = PACE } = deps

  let found = new Set<string>()

  /** Before a whole sweep its own request may start it, or take it away ({@link storedOrUndone}). */
  async function unstarted(waiting: readonly string[]): Promise<Stored[]> {
    const stored = await storedAndUnstarted(waiting)
    const before = found
    found = new Set(stored.map(({ id }) => id))
    return stored.filter(({ id, isOurs }) => isOurs || before.has(id))
  }

  async function storedAndUnstarted(waiting: readonly string[]): Promise<Stored[]> {
    const em = database.em.fork()
    const signals = await unstartedSignals(em, waiting, SWEEP_BATCH)
    const orders = await unstartedManualOrders(em, waiting, SWEEP_BATCH)
    const flattenings = await unstartedFlattenings(em, waiting, SWEEP_BATCH)
    return [
      ...signals.map((signal) => ({
        id: signal.id,
        workflowId: workflowIdFor(signal.id),
        isOurs: signal.continues != null,
        tell: () => gateway.start(termsOf(signal)),
        markTold: () => markStarted(database.em.fork(), signal.userId, signal.id),
      })),
      ...orders.map((terms) => ({
        id: terms.orderId,
        workflowId: orderWorkflowIdFor(terms.orderId),
        isOurs: false,
        tell: () => gateway.startOrder(terms),
        markTold: () => markManualOrderStarted(database.em.fork(), terms),
      })),
      ...flattenings.map((id) => ({
        id,
        workflowId: flattenWorkflowIdFor(id),
        isOurs: false,
        tell: () => gateway.startFlattening(id),
        markTold: () => markFlatteningStarted(database.em.fork(), id),
      })),
    ]
  }

  async function unwithdrawn(waiting: readonly string[]): Promise<Stored[]> {
    const due = await dueWithdrawals(database.em.fork(), null, waiting, SWEEP_BATCH)
    return due.map(({ signal, by }) => ({
      id: signal.id,
      workflowId: workflowIdFor(signal.id),
      isOurs: true,
      tell: () => withdraw(signal, by),
      markTold: async () => {},
    }))
  }

  /** Throws also for a signal on its way or at its end: the ledger knows, and it is asked again later. */
  async function withdraw(signal: Signal, by: string): Promise<void> {
    try {
      await gateway.withdraw(recipientOf(signal), { by }, WITHDRAWAL_LIMIT_MS)
    } catch (error) {
      if (error instanceof AnswerOverdue) throw new NotWithdrawn('its workflow has not answered')
      if (error instanceof UpdateRejected || error instanceof WorkflowOver)
        throw new NotWithdrawn(error.message)
      throw error
    }
  }

  // Two loops: no start waits for a slow withdrawal.
  const loops = [unstarted, unwithdrawn].map((read) => createLoop(read, logger, pace))
  return {
    start() {
      for (const loop of loops) loop.start()
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}

class NotWithdrawn extends Error {
  override readonly name = 'NotWithdrawn'
}

function createLoop(
  read: (waiting: readonly string[]) => Promise<Stored[]>,
  logger: Logger,
  { everyMs, secondTryAfterMs }: Pace,
): Part {
  const postponed = new Postponed(secondTryAfterMs)

  async function takeOn(stored: Stored): Promise<void> {
    await stored.tell()
    await within(SWEEP_DATABASE_LIMIT_MS, 'the database', stored.markTold())
    postponed.forget(stored.id)
    logger.info({ workflowId: stored.workflowId }, 'the sweeper took on what was stored')
  }

  async function takeOnAll(queue: readonly Stored[], stopping: AbortSignal): Promise<void> {
    let isOutage = false
    await forEachAtMost(SWEPT_AT_ONCE, queue, async (stored) => {
      if (isOutage || stopping.aborted) return
      try {
        await takeOn(stored)
      } catch (error) {
        const isAway = error instanceof GatewayUnavailable
        isOutage ||= isAway
        const wait = postponed.postpone(stored.id, isAway)
        const log = { err: error, workflowId: stored.workflowId, retryInMs: wait }
        if (isAway) logger.warn(log, 'Temporal cannot be reached; the sweeper tries again')
        else if (error instanceof NotWithdrawn)
          logger.info(log, 'a signal was not withdrawn; the sweeper looks again')
        else logger.error(log, 'what was stored could not be started')
      }
    })
  }

  const sweep = async (stopping: AbortSignal): Promise<void> =>
    takeOnAll(await within(SWEEP_DATABASE_LIMIT_MS, 'the database', read(postponed.waiting())), stopping)
  return periodically(`sweep of what is ${read.name}`, everyMs, sweep, logger)
}

class Postponed {
  readonly #firstWait: number
  readonly #waits = new Map<string, { until: number; attempts: number }>()

  constructor(firstWait: number) {
    this.#firstWait = firstWait
  }

  postpone(id: string, isOutage: boolean): number {
    const attempts = (this.#waits.get(id)?.attempts ?? 0) + (isOutage ? 0 : 1)
    const wait = pauseAfter(Math.max(attempts, 1), { first: this.#firstWait, most: MAX_START_WAIT_MS })
    this.#waits.set(id, { until: performance.now() + wait, attempts })
    return wait
  }

  forget(id: string): void {
    this.#waits.delete(id)
  }

  waiting(): string[] {
    const now = performance.now()
    for (const [id, { until }] of this.#waits) {
      if (until < now - MAX_START_WAIT_MS) this.#waits.delete(id)
    }
    return [...this.#waits].flatMap(([id, { until }]) => (until > now ? [id] : []))
  }
}
