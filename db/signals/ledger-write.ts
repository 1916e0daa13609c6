import type { SignalStatus } from '#domain/signal-status.ts'
import type { EntityManager } from '../engine/database.ts'
import { ledgerStatement, type LedgerWrite } from './ledger-statement.ts'
import { hasProgress, mergeOrderReport } from '../orders/reports.ts'

/** A write would take a signal where the transition table does not lead. */
export class IllegalTransition extends Error {
  override readonly name = 'IllegalTransition'
}

/** An order was to be stopped, and the decision to send it had been taken. */
export class DecidedAlready extends Error {
  override readonly name = 'DecidedAlready'
}

/** What a step finds out by being written. */
export interface Written {
  /** A person has said that they know of what the step raises. */
  acknowledged: boolean
}

/**
 * One statement for the signal, its order, its timeline and its alerts: half the latency of a transaction of
 * three, on the path that a webhook sender waits for.
 */
export async function write(em: EntityManager, signalId: string, change: LedgerWrite): Promise<Written> {
  const { sql, parameters } = ledgerStatement(signalId, change)
  const rows = await em.execute<{ account_id: string; placed: number; acknowledged: boolean | null }[]>(
    sql,
    parameters,
  )
  const [done] = rows
  if (!done) throw await whyNothingChanged(em, signalId, change)
  const written = { acknowledged: done.acknowledged ?? false }
  // Either the feed heard of the order first, and its report and ours become one, or ours tells of a fill.
  const { report } = change
  if (!report || (done.placed === 1 && !hasProgress(report))) return written
  if (!(await mergeOrderReport(em, done.account_id, report)))
    throw new Error(`order ${report.clientOrderId} is not in the ledger: another one has its broker's id`)
  return written
}

async function whyNothingChanged(em: EntityManager, signalId: string, change: LedgerWrite): Promise<Error> {
  const [row] = await em.execute<{ status: string; decisions: Record<string, object> }[]>(
    'select status, decisions from signals where id = ?',
    [signalId],
  )
  const decided = change.stops && row?.decisions[change.stops]
  if (decided && !('stopped' in decided))
    return new DecidedAlready(`signal ${signalId} is ${row.status} and its ${change.stops} order is decided`)
  return new IllegalTransition(
    row
      ? `signal ${signalId} is ${row.status} and cannot become ${change.status}`
      : `there is no signal ${signalId}`,
  )
}

/**
 * Writes a step that a later one may have overtaken: a worker that dies takes what it knew with it, and the task that
 * is done over takes the steps again, the first of which the ledger has left behind by then. Passed over when the
 * signal stands at one of the later statuses; any other illegal transition is thrown.
 */
export async function writeUnlessOvertaken(
  em: EntityManager,
  signalId: string,
  change: LedgerWrite,
  later: readonly SignalStatus[],
): Promise<void> {
  try {
    await write(em, signalId, change)
  } catch (error) {
    if (!(error instanceof IllegalTransition)) throw error
    const [row] = await em.execute<{ status: SignalStatus }[]>('select status from signals where id = ?', [
      signalId,
    ])
    if (!row || !later.includes(row.status)) throw error
  }
}
