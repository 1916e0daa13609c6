import type { DenialCode } from '#domain/denial.ts'
import type { ExitPlan, ExitStatus } from '#domain/exit.ts'
import type { OrderReport } from '#domain/order.ts'
import { statusesBefore, type SignalStatus } from '#domain/signal-status.ts'
import {
  acknowledgedEntry,
  closedEntry,
  exitPlannedEntry,
  givenUpEntry,
  refusedEntry,
  transmittedEntry,
  type TimelineEntry,
} from '#domain/timeline.ts'
import type { EntityManager } from './database.ts'
import { orderIdFor } from './order-id.ts'
import {
  asFirstHeardOf,
  hasProgress,
  mergeOrderReport,
  orderRow,
  ORDER_COLUMNS,
  UNLESS_KNOWN,
} from './order-reports.ts'

/**
 * What the workflow makes known of a signal. Every function writes one statement, so that it happens whole or
 * not at all, and may be repeated: a second write of the same step changes nothing.
 */

/** A write would take a signal where the transition table does not lead. */
export class IllegalTransition extends Error {
  override readonly name = 'IllegalTransition'
}

/** The broker accepted the entry order. Returns our id of it. */
export async function recordEntryAccepted(
  em: EntityManager,
  signalId: string,
  report: OrderReport,
): Promise<string> {
  const orderId = orderIdFor(report.clientOrderId)
  await write(em, signalId, {
    status: 'executed',
    set: { order_id: orderId, status_reason: null, status_detail: null },
    report,
    timeline: [acknowledgedEntry(report)],
  })
  return orderId
}

/** The entry order was sent and its outcome is unknown. */
export async function recordTransmitted(
  em: EntityManager,
  signalId: string,
  at: string,
  cause: string,
): Promise<void> {
  await write(em, signalId, {
    status: 'transmitted',
    set: { status_detail: `The broker's answer is not known (${cause}); looking the order up` },
    timeline: [transmittedEntry(at, 'entry', cause)],
  })
}

/** No entry order is working: refused by a rule or the broker (rejected), or not sent (error). */
export async function recordNotPlaced(
  em: EntityManager,
  signalId: string,
  at: string,
  outcome: { status: 'rejected' | 'error'; code: DenialCode; detail: string },
): Promise<void> {
  const entry =
    outcome.status === 'rejected'
      ? refusedEntry(at, 'entry', outcome.code, outcome.detail)
      : givenUpEntry(at, outcome.code, outcome.detail)
  await write(em, signalId, {
    status: outcome.status,
    set: { status_reason: outcome.code, status_detail: outcome.detail },
    cancelExit: true,
    timeline: [entry],
  })
}

/** The entry order has ended and an exit is to follow. */
export async function recordExitPlanned(
  em: EntityManager,
  signalId: string,
  at: string,
  exit: { entry: OrderReport; plan: ExitPlan },
): Promise<void> {
  await write(em, signalId, {
    set: { exit_status: 'scheduled', exit_submit_at: exit.plan.submitAt, exit_reason: exit.plan.reason },
    settles: exit.entry.clientOrderId,
    timeline: [exitPlannedEntry(at, exit.plan, exit.entry.filledQuantity)],
  })
}

/** The broker accepted the exit order. Returns our id of it. */
export async function recordExitAccepted(
  em: EntityManager,
  signalId: string,
  report: OrderReport,
): Promise<string> {
  const orderId = orderIdFor(report.clientOrderId)
  await write(em, signalId, {
    set: { exit_status: 'submitted', exit_order_id: orderId },
    report,
    timeline: [acknowledgedEntry(report)],
  })
  return orderId
}

/** The signal's story is over. `settles` is the order whose end closed it. */
export async function recordClosed(
  em: EntityManager,
  signalId: string,
  at: string,
  end: {
    message: string
    settles: string
    exit: { status: ExitStatus; reason: string | null } | null
    /** The broker rejected the entry after accepting it. */
    rejected: boolean
  },
): Promise<void> {
  await write(em, signalId, {
    ...(end.rejected && { status: 'rejected' }),
    set: {
      ...(end.rejected && { status_reason: 'BROKER_ERROR', status_detail: end.message }),
      ...(end.exit && { exit_status: end.exit.status, exit_reason: end.exit.reason }),
    },
    settles: end.settles,
    timeline: [closedEntry(at, end.message)],
  })
}

/** The exit could not be placed yet, or its outcome is unknown; the reason is shown until that changes. */
export async function recordExitTrouble(
  em: EntityManager,
  signalId: string,
  at: string,
  trouble: { generation: number; kind: 'unknown' | 'refused'; code: DenialCode; detail: string },
): Promise<void> {
  await write(em, signalId, {
    set: { exit_reason: `${trouble.code}: ${trouble.detail}` },
    timeline: [
      trouble.kind === 'unknown'
        ? transmittedEntry(at, 'exit', trouble.detail, trouble.generation)
        : refusedEntry(at, 'exit', trouble.code, trouble.detail, trouble.generation),
    ],
  })
}

interface LedgerWrite {
  status?: SignalStatus
  /** Further columns of the signal. */
  set: Record<string, unknown>
  /** An order to add to the books, or to merge with what they hold. */
  report?: OrderReport
  /** Client order id of the order whose end the workflow has now taken note of. */
  settles?: string
  /** A signal that places no entry needs no exit either. */
  cancelExit?: boolean
  timeline: TimelineEntry[]
}

/**
 * One statement for the signal, its order and its timeline: half the latency of a transaction of three, on
 * the path that a webhook sender waits for.
 */
async function write(em: EntityManager, signalId: string, change: LedgerWrite): Promise<void> {
  const columns = { ...(change.status && { status: change.status }), ...change.set }
  const assignments = Object.keys(columns).map((column) => `${column} = ?`)
  if (change.cancelExit)
    assignments.push(`exit_status = case when exit_rule is null then null else 'cancelled' end`)
  const parameters: unknown[] = [...Object.values(columns), signalId]
  // Repeating the write that already happened is allowed, leaving the table is not.
  const from = change.status && [...statusesBefore(change.status), change.status]
  if (from) parameters.push(...from)

  let sql = `with changed as (update signals set ${assignments.concat(
    'workflow_started_at = coalesce(workflow_started_at, now())',
    'updated_at = now()',
  )} where id = ? ${from ? `and status in (${from.map(() => '?')})` : ''} returning id, user_id, account_id)`

  if (change.report) {
    const row = orderRow(asFirstHeardOf(change.report))
    sql +=
      `, placed as (insert into orders (user_id, account_id, signal_id, ${ORDER_COLUMNS}) ` +
      `select user_id, account_id, id, ${row.map(({ type }) => `?::${type}`)} from changed ` +
      `${UNLESS_KNOWN} returning id)`
    parameters.push(...row.map(({ value }) => value))
  }
  if (change.settles) {
    sql += `, settled as (update orders set settled_at = coalesce(settled_at, now()) where client_order_id = ? returning id)`
    parameters.push(change.settles)
  }
  for (const [index, entry] of change.timeline.entries()) {
    sql +=
      `, told${index} as (insert into signal_events (signal_id, key, kind, at, message, data) ` +
      `select id, ?, ?, ?::timestamptz, ?, ?::jsonb from changed on conflict (signal_id, key) do nothing returning key)`
    parameters.push(entry.key, entry.kind, entry.at, entry.message, JSON.stringify(entry.data ?? null))
  }
  sql += ` select account_id, ${change.report ? '(select count(*)::int from placed)' : '1'} as placed from changed`

  const rows = await em.getConnection().execute<{ account_id: string; placed: number }[]>(sql, parameters)
  const [done] = rows
  if (!done) throw await whyNothingChanged(em, signalId, change)
  // Either the feed heard of the order first, and its report and ours become one, or ours tells of a fill.
  const { report } = change
  if (!report || (done.placed === 1 && !hasProgress(report))) return
  if (!(await mergeOrderReport(em, done.account_id, report)))
    throw new Error(`order ${report.clientOrderId} is not in the books: another one has its broker's id`)
}

async function whyNothingChanged(em: EntityManager, signalId: string, change: LedgerWrite): Promise<Error> {
  const [row] = await em
    .getConnection()
    .execute<{ status: string }[]>('select status from signals where id = ?', [signalId])
  return new IllegalTransition(
    row
      ? `signal ${signalId} is ${row.status} and cannot become ${change.status}`
      : `there is no signal ${signalId}`,
  )
}
