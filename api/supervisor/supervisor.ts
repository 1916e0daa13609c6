import type { Database, EntityManager } from '#db/engine/database.ts'
import { isOpenFlattening } from '#db/flatten/flattenings.ts'
import { findOpenSignal } from '#db/signal/record.ts'
import { type PendingWork, pendingWork } from '#db/watch/pending-work.ts'
import { type OpenWork, markStarted, unstartedWork } from '#db/watch/open-work.ts'
import { flattenWorkflowIdFor } from '#domain/position/flatten.ts'
import { workflowIdFor } from '#domain/signal/signal.ts'
import type { WatchGateway, WorkflowToRun } from '../temporal/watch-gateway.ts'
import type { Logger } from 'pino'
import { periodically, type Part } from '#config/periodically.ts'
import type { Signal } from '#db/entities/index.ts'
import { dueWithdrawals } from '#db/signal/of-tokens.ts'
import { isLedgerBehind } from '#db/watch/ledger-mark.ts'
import { pauseAfter } from '#domain/async/backoff.ts'
import { mapLimit } from '#domain/async/map-limit.ts'
import { within } from '../http/deadline.ts'
import { recipientOf } from '../signal/new-signal.ts'
import {
  AnswerOverdue,
  GatewayUnavailable,
  UpdateRejected,
  WorkflowOver,
  type SignalGateway,
} from '../temporal/calls.ts'

export interface EnsureRunning {
  database: Database
  gateway: Pick<WatchGateway, 'ensureRunning'>
}

export const START_LIMIT_MS = 5_000

export const workflowOf = ({ kind, id }: Pick<OpenWork, 'kind' | 'id'>): string =>
  ({ signal: workflowIdFor, flattening: flattenWorkflowIdFor })[kind](id)

/**
 * Continues work from the ledger. False where nothing is open, or a workflow runs. `replaces` a run that may differ
 * from the ledger, only for sent work: another run may be about to send.
 */
export async function ensureRunning(
  { database, gateway }: EnsureRunning,
  work: OpenWork,
  { replaces = false }: { replaces?: boolean } = {},
): Promise<boolean> {
  const open = await findOpen(database.em.fork(), work)
  if (open === null || (replaces && !open.isSent)) return false
  return gateway.ensureRunning(open.workflow, START_LIMIT_MS, replaces)
}

async function findOpen(
  em: EntityManager,
  { kind, id }: OpenWork,
): Promise<{ workflow: WorkflowToRun; isSent: boolean } | null> {
  if (kind === 'flattening')
    return (await isOpenFlattening(em, id)) ? { workflow: { flattenId: id }, isSent: false } : null
  const signal = await findOpenSignal(em, id)
  return signal && { workflow: signal, isSent: signal.isSent }
}

/** Stored, but unfinished by its process. */
interface Left {
  id: string
  /** For the log. */
  name: string
  /** Idempotent: several processes may do it at once. */
  perform(): Promise<void>
}

/** A kind of work, searched only while some exists. */
export interface Row {
  name: string
  kind: PendingWork
  /**
   * Oldest first.
   * @param waiting ids with a later next try
   */
  find(waiting: readonly string[]): Promise<readonly Left[]>
}

export interface Pace {
  everyMs: number
  secondTryAfterMs: number
}
const PACE: Pace = { everyMs: 1_000, secondTryAfterMs: 2_000 }

const BATCH = 200
const CARRIED_OUT_AT_ONCE = 4
const DATABASE_LIMIT_MS = 5_000
const MAX_WAIT_MS = 300_000
/** Milliseconds after which a round starts nothing more, for fairness. */
const ROUND_LASTS_MS = 10_000
const WITHDRAWAL_LIMIT_MS = 5_000

interface SupervisorDependencies extends EnsureRunning {
  gateway: EnsureRunning['gateway'] & Pick<SignalGateway, 'withdraw'>
  logger: Logger
  pace?: Pace
}

/**
 * Finds and starts unfinished work.
 * @param others further kinds
 * @param soon starts other parts' work
 */
export function createSupervisor(
  { pace = PACE, ...deps }: SupervisorDependencies,
  others: readonly Row[] = [],
  soon: Partial<Record<PendingWork, () => void>> = {},
): Part {
  const { database, logger } = deps
  const rows = [workWithoutRun(deps), withdrawals(deps), ...others].map((row) => ({
    ...row,
    look: lookAt(row, logger, pace),
  }))
  const underWay = new Map<PendingWork, Promise<void>>()
  const begin = async ({ name, kind, look }: (typeof rows)[number], stopping: AbortSignal): Promise<void> => {
    try {
      await look(stopping)
    } catch (error) {
      logger.warn({ err: error, left: name }, 'the supervisor could not look at what is left; it tries again')
    } finally {
      underWay.delete(kind)
    }
  }
  const rounds = periodically(
    'the supervisor',
    pace.everyMs,
    async (stopping) => {
      const atHand = await within(DATABASE_LIMIT_MS, 'the database', pendingWork(database.em.fork()))
      for (const kind of atHand) soon[kind]?.()
      for (const row of rows)
        if (atHand.has(row.kind) && !underWay.has(row.kind)) underWay.set(row.kind, begin(row, stopping))
    },
    logger,
  )
  return {
    start: rounds.start,
    async stop() {
      await rounds.stop()
      await Promise.all(underWay.values())
    },
  }
}

/** The census handles started work whose run Temporal has lost. */
function workWithoutRun(deps: SupervisorDependencies): Row {
  const { database } = deps
  let found = new Set<string>()
  return {
    name: 'work without a run',
    kind: 'unstarted',
    /** For a whole round its own request may start or remove it (`storeOrCompensate`). */
    async find(waiting) {
      if (await isLedgerBehind(database.em.fork())) return []
      const unstarted = await unstartedWork(database.em.fork(), waiting, BATCH)
      const before = found
      found = new Set(unstarted.map(({ id }) => id))
      return unstarted
        .filter(({ id, isOurs }) => isOurs || before.has(id))
        .map((work) => ({
          id: work.id,
          name: workflowOf(work),
          async perform() {
            await ensureRunning(deps, work)
            await within(DATABASE_LIMIT_MS, 'the database', markStarted(database.em.fork(), work))
          },
        }))
    },
  }
}

/** Signals whose token was revoked with them. */
function withdrawals({ database, gateway }: SupervisorDependencies): Row {
  return {
    name: 'withdrawals',
    kind: 'withdrawals',
    async find(waiting) {
      const due = await dueWithdrawals(database.em.fork(), null, waiting, BATCH)
      return due.map(({ signal, by }) => ({
        id: signal.id,
        name: workflowIdFor(signal.id),
        perform: () => withdraw(gateway, signal, by),
      }))
    },
  }
}

/** Throws also for a sent or ended signal: the ledger decides at a later try. */
async function withdraw(gateway: Pick<SignalGateway, 'withdraw'>, signal: Signal, by: string): Promise<void> {
  try {
    await gateway.withdraw(recipientOf(signal), { by }, WITHDRAWAL_LIMIT_MS)
  } catch (error) {
    if (error instanceof AnswerOverdue) throw new NotYet('its workflow has not answered')
    if (error instanceof UpdateRejected || error instanceof WorkflowOver) throw new NotYet(error.message)
    throw error
  }
}

/** No error. */
class NotYet extends Error {
  override readonly name = 'NotYet'
}

/** Failures block no others, and are retried at growing intervals. */
export function lookAt(
  { find }: Row,
  logger: Logger,
  { secondTryAfterMs }: Pick<Pace, 'secondTryAfterMs'>,
): (stopping?: AbortSignal) => Promise<void> {
  const postponed = new Postponed(secondTryAfterMs)

  async function carryOutAll(left: readonly Left[], stopping?: AbortSignal): Promise<void> {
    let isOutage = false
    const until = performance.now() + ROUND_LASTS_MS
    await mapLimit(CARRIED_OUT_AT_ONCE, left, async (each) => {
      if (isOutage || stopping?.aborted || performance.now() > until) return
      try {
        await each.perform()
        postponed.forget(each.id)
        logger.info({ left: each.name }, 'the supervisor has carried out what was left')
      } catch (error) {
        const isAway = error instanceof GatewayUnavailable
        isOutage ||= isAway
        const wait = postponed.postpone(each.id, isAway)
        const log = { err: error, left: each.name, retryInMs: wait }
        if (isAway) logger.warn(log, 'Temporal cannot be reached; the supervisor tries again')
        else if (error instanceof NotYet)
          logger.info(log, 'a signal was not withdrawn; the supervisor tries again')
        else logger.error(log, 'what was left could not be carried out; the supervisor tries again')
      }
    })
  }

  return async (stopping) =>
    carryOutAll(await within(DATABASE_LIMIT_MS, 'the database', find(postponed.waiting())), stopping)
}

class Postponed {
  readonly #firstWait: number
  readonly #waits = new Map<string, { until: number; attempts: number }>()

  constructor(firstWait: number) {
    this.#firstWait = firstWait
  }

  postpone(id: string, isOutage: boolean): number {
    const attempts = (this.#waits.get(id)?.attempts ?? 0) + (isOutage ? 0 : 1)
    const wait = pauseAfter(Math.max(attempts, 1), { first: this.#firstWait, most: MAX_WAIT_MS })
    this.#waits.set(id, { until: performance.now() + wait, attempts })
    return wait
  }

  forget(id: string): void {
    this.#waits.delete(id)
  }

  waiting(): string[] {
    const now = performance.now()
    for (const [id, { until }] of this.#waits) if (until < now - MAX_WAIT_MS) this.#waits.delete(id)
    return [...this.#waits].flatMap(([id, { until }]) => (until > now ? [id] : []))
  }
}
