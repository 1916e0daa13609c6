import { listActiveConnections } from '#db/account/sync.ts'
import { raiseAlert } from '#db/alert/alerts.ts'
import { readLedgerMark, writeLedgerMark, type LedgerMark } from '#db/watch/ledger-mark.ts'
import { endRestoration, markRestored } from '#db/watch/restoration.ts'
import { isWorkerAlive } from '#db/watch/worker-heartbeats.ts'
import { rollbackNotice } from '#domain/alert/rollback-notice.ts'
import { within } from '../http/deadline.ts'
import { replaceRuns } from '../supervisor/census.ts'
import { reconcile, type ReconcileDependencies, type Reconciliation } from './reconcile.ts'
import type { MarkGateway } from '../temporal/gateway.ts'

/** Seconds between two marks: an older copy is noticed. */
const MARK_EVERY = 30
/** Seconds without a mark, after which a broker, or all stores together, may be older. */
const STANDSTILL = 3 * MARK_EVERY

type Rollback = 'ledger' | 'temporal' | 'standstill'

/** Marks are written to the ledger, then to Temporal, which has the same or the previous one; null when so. */
function findRollback(ledger: LedgerMark | null, temporal: number): Rollback | null {
  if (ledger !== null && ledger.restoredTo !== null) return 'ledger'
  const sequence = ledger?.sequence ?? 0
  if (temporal > sequence) return 'ledger'
  if (temporal < sequence - 1) return 'temporal'
  return ledger !== null && ledger.age > STANDSTILL ? 'standstill' : null
}

const ROLLBACK_LIMIT_MS = 3_000
const MENDING_PATIENCE_MS = 60_000
const ROLLBACK_LOOK_EVERY_MS = 10_000
/** Milliseconds to wait at stop; the next start repeats the reconciliation. */
const STOP_WITHIN = 3_000

export interface RollbackDependencies extends Pick<
  ReconcileDependencies,
  'database' | 'brokerOf' | 'logger'
> {
  gateway: ReconcileDependencies['gateway'] & MarkGateway
  taskQueue: string
  lookEveryMs?: number
}

/** Marks again only after the owners' alerts: a crash in between repeats the reconciliation. */
export class RollbackWatch {
  readonly #deps: RollbackDependencies
  readonly #stopping = new AbortController()
  #running: Promise<void> | null = null
  #isLedgerBehind = false
  #said: string | null = null

  constructor(deps: RollbackDependencies) {
    this.#deps = deps
  }

  /** A restarted workflow would not know orders that only the broker knows. */
  get isLedgerBehind(): boolean {
    return this.#isLedgerBehind
  }

  async look(): Promise<boolean> {
    if (this.#running !== null) return true
    try {
      await this.#look()
      this.#said = null
    } catch (error) {
      const { message } = error as Error
      if (message !== this.#said)
        this.#deps.logger.warn({ err: error }, 'a rollback of a store could not be detected; trying again')
      this.#said = message
    }
    return this.#running !== null
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    if (this.#running !== null) await within(STOP_WITHIN, 'the reconciliation', this.#running).catch(() => {})
  }

  async #look(): Promise<void> {
    const { database, gateway, taskQueue, logger } = this.#deps
    const em = database.em.fork()
    const ledger = await readLedgerMark(em)
    // Also if Temporal does not answer.
    if (ledger !== null && ledger.restoredTo !== null) this.#isLedgerBehind = true
    const temporal = await gateway.readMark(ROLLBACK_LIMIT_MS)
    const found = findRollback(ledger, temporal)
    this.#isLedgerBehind = found === 'ledger'
    if (found === null) return this.#mark(ledger, temporal)
    // A manually restored copy; the halt must not wait.
    if (found === 'ledger' && ledger !== null && ledger.restoredTo === null) {
      await markRestored(em, ledger.markedAt)
      return this.#look()
    }
    // Only a running worker can reconcile.
    if (!(await isWorkerAlive(em, taskQueue))) return
    const restoredTo = ledger?.restoredTo ?? null
    const marks = {
      ledger: ledger?.sequence ?? 0,
      temporal,
      markedAt: restoredTo ?? ledger?.markedAt ?? null,
      restoredTo,
    }
    logger.warn(
      { found, ...marks },
      'a store may have been rolled back; ledger, Temporal and brokers are compared',
    )
    this.#running = this.#reconcile(found, marks)
      .catch((error: unknown) =>
        logger.error({ err: error }, 'the reconciliation after a restore has failed; it is repeated'),
      )
      .finally(() => {
        this.#running = null
      })
  }

  /** The ledger advances once Temporal has caught up. */
  async #mark(ledger: LedgerMark | null, temporal: number): Promise<void> {
    const { database, gateway } = this.#deps
    if (ledger !== null && ledger.sequence !== temporal)
      return gateway.writeMark(ledger.sequence, ROLLBACK_LIMIT_MS)
    if (ledger !== null && ledger.age < MARK_EVERY) return
    await writeLedgerMark(database.em.fork(), temporal + 1)
    await gateway.writeMark(temporal + 1, ROLLBACK_LIMIT_MS)
  }

  async #reconcile(
    found: Rollback,
    marks: { ledger: number; temporal: number; markedAt: string | null; restoredTo: string | null },
  ): Promise<void> {
    const { database, gateway, brokerOf, logger } = this.#deps
    const { signal } = this.#stopping
    // A Temporal without older data runs only this ledger's work.
    const mayBeAhead = found === 'ledger' && marks.temporal > 0
    let restarted = 0
    const result = await reconcile({
      database,
      gateway,
      brokerOf,
      logger,
      patience: MENDING_PATIENCE_MS,
      lookEvery: this.#deps.lookEveryMs ?? ROLLBACK_LOOK_EVERY_MS,
      signal,
      async whenAdopted(uncompared) {
        if (mayBeAhead) restarted = await replaceRuns({ database, gateway, logger }, uncompared)
      },
      tell: (line) => logger.info({ found }, line),
    })
    if (signal.aborted) return
    const failures = [...result.failures, ...result.failedAttempts]
    const inTemporal = failures.find(({ accountId }) => accountId === null)
    if (inTemporal) throw new Error(inTemporal.message)
    await this.#alert(found, marks.markedAt, { ...result, failures })
    const next = Math.max(marks.ledger, marks.temporal) + 1
    await writeLedgerMark(database.em.fork(), next)
    await gateway.writeMark(next, ROLLBACK_LIMIT_MS)
    if (marks.restoredTo !== null) await endRestoration(database.em.fork(), marks.restoredTo)
    for (const { difference, isMended } of result.outcomes)
      logger.warn({ found, isMended, accountId: difference.accountId }, difference.message)
    const left = result.outcomes.filter(({ isMended }) => !isMended).length
    logger.warn(
      { found, differences: result.outcomes.length, left, restarted, failures },
      'ledger, Temporal and brokers were reconciled',
    )
  }

  /** Brokers go on in a standstill: only unreconciled differences are reported. */
  async #alert(
    found: Rollback,
    markedAt: string | null,
    { outcomes, failures }: Reconciliation,
  ): Promise<void> {
    const em = this.#deps.database.em.fork()
    const told = outcomes.filter(({ isMended }) => found !== 'standstill' || !isMended)
    for (const { accountId } of await listActiveConnections(em)) {
      const own = told.filter(({ difference }) => difference.accountId === accountId)
      const failed = failures
        .filter((failure) => failure.accountId === accountId && !failure.isOfNewAccount)
        .map(({ message }) => message)
      // Unknown signals may have left no trace.
      if (own.length + failed.length === 0 && found !== 'ledger') continue
      const differences = own.map(({ difference: { message, advice }, isMended }) => ({
        message,
        isMended,
        advice: isMended ? null : advice,
      }))
      const notice = rollbackNotice({ found, markedAt, differences, failures: failed })
      await raiseAlert(em, { accountId, signalId: null }, notice)
    }
  }
}
