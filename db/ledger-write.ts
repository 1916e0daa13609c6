import type { OrderReport } from '#domain/order.ts'
import { statusesBefore, type SignalStatus } from '#domain/signal-status.ts'
import type { TimelineEntry } from '#domain/timeline.ts'
import type { EntityManager } from './database.ts'
import { STOPPED, type SendDecision } from './frozen.ts'
import {
  asFirstHeardOf,
  hasProgress,
  mergeOrderReport,
  orderRow,
  ORDER_COLUMNS,
  UNLESS_KNOWN,
} from './order-reports.ts'

/** A write would take a signal where the transition table does not lead. */
export class IllegalTransition extends Error {
  override readonly name = 'IllegalTransition'
}

/** An order was to be stopped, and the decision to send it had been taken. */
export class DecidedAlready extends Error {
  override readonly name = 'DecidedAlready'
}

/** What one step writes. */
export interface LedgerWrite {
  status?: SignalStatus
  /** Further columns of the signal. */
  set: Record<string, unknown>
  /** An order to add to the books, or to merge with what they hold. */
  report?: OrderReport
  /** Client order ids of the orders whose ends the workflow has now taken note of. */
  settles?: string[]
  /** Further things that the owner should know of. */
  advisories?: { code: string; message: string }[]
  /** A signal that places no entry needs no exit either. */
  cancelExit?: boolean
  /** The decision that is not to be taken any more; {@link DecidedAlready} is thrown when it was. */
  stops?: SendDecision
  timeline: TimelineEntry[]
}

/**
 * One statement for the signal, its order and its timeline: half the latency of a transaction of three, on
 * the path that a webhook sender waits for.
 */
export async function write(em: EntityManager, signalId: string, change: LedgerWrite): Promise<void> {
  const columns = { ...(change.status && { status: change.status }), ...change.set }
  const assignments = Object.keys(columns).map((column) => `${column} = ?`)
  if (change.cancelExit)
    assignments.push(`exit_status = case when exit_rule is null then null else 'cancelled' end`)
  const parameters: unknown[] = Object.values(columns)
  if (change.advisories && change.advisories.length > 0) {
    assignments.push('advisories = advisories || ?::jsonb')
    parameters.push(JSON.stringify(change.advisories))
  }
  if (change.stops) {
    assignments.push('frozen = frozen || jsonb_build_object(?::text, ?::jsonb)')
    parameters.push(change.stops, JSON.stringify(STOPPED))
  }
  parameters.push(signalId)
  // Repeating the write that already happened is allowed, leaving the table is not.
  const from = change.status && [...statusesBefore(change.status), change.status]
  if (from) parameters.push(...from)
  if (change.stops) parameters.push(change.stops, change.stops, JSON.stringify(STOPPED))

  let sql = `with changed as (update signals set ${assignments.concat(
    'workflow_started_at = coalesce(workflow_started_at, now())',
    'updated_at = now()',
  )} where id = ? ${from ? `and status in (${from.map(() => '?')})` : ''} ${
    change.stops ? 'and (frozen -> ?::text is null or frozen -> ?::text = ?::jsonb)' : ''
  } returning id, user_id, account_id)`

  if (change.report) {
    const row = orderRow(asFirstHeardOf(change.report))
    sql +=
      `, placed as (insert into orders (user_id, account_id, signal_id, ${ORDER_COLUMNS}) ` +
      `select user_id, account_id, id, ${row.map(({ type }) => `?::${type}`)} from changed ` +
      `${UNLESS_KNOWN} returning id)`
    parameters.push(...row.map(({ value }) => value))
  }
  if (change.settles && change.settles.length > 0) {
    sql += `, settled as (update orders set settled_at = coalesce(settled_at, now()) where client_order_id in (${change.settles.map(() => '?')}) returning id)`
    parameters.push(...change.settles)
  }
  for (const [index, entry] of change.timeline.entries()) {
    sql +=
      `, told${index} as (insert into signal_events (signal_id, key, kind, at, message, data) ` +
      `select id, ?, ?, ?::timestamptz, ?, ?::jsonb from changed on conflict (signal_id, key) do nothing returning key)`
    parameters.push(entry.key, entry.kind, entry.at, entry.message, JSON.stringify(entry.data ?? null))
  }
  sql += ` select account_id, ${change.report ? '(select count(*)::int from placed)' : '1'} as placed from changed`

  const rows = await em.execute<{ account_id: string; placed: number }[]>(sql, parameters)
  const [done] = rows
  if (!done) throw await whyNothingChanged(em, signalId, change)
  // Either the feed heard of the order first, and its report and ours become one, or ours tells of a fill.
  const { report } = change
  if (!report || (done.placed === 1 && !hasProgress(report))) return
  if (!(await mergeOrderReport(em, done.account_id, report)))
    throw new Error(`order ${report.clientOrderId} is not in the books: another one has its broker's id`)
}

async function whyNothingChanged(em: EntityManager, signalId: string, change: LedgerWrite): Promise<Error> {
  const [row] = await em.execute<{ status: string; frozen: Record<string, object> }[]>(
    'select status, frozen from signals where id = ?',
    [signalId],
  )
  const decided = change.stops && row?.frozen[change.stops]
  if (decided && !('stopped' in decided))
    return new DecidedAlready(`signal ${signalId} is ${row.status} and its ${change.stops} order is decided`)
  return new IllegalTransition(
    row
      ? `signal ${signalId} is ${row.status} and cannot become ${change.status}`
      : `there is no signal ${signalId}`,
  )
}
