import { keysRejected, unprotectedByEnd, unprotectedByTrouble } from '#domain/alert.ts'
import type { DenialCode } from '#domain/denial.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { ExitPlan, ExitState, ExitTrouble } from '#domain/exit.ts'
import { parseClientOrderId, type OrderReport, type AcknowledgedEnd } from '#domain/order.ts'
import {
  acknowledgedEntry,
  cancelRequestedEntry,
  closedEntry,
  exitPlannedEntry,
  exitTroubleEntry,
  notPlacedEntry,
  rejectedEntry,
  transmittedEntry,
} from '#domain/timeline.ts'
import type { EntityManager } from '../engine/database.ts'
import { orderIdFor } from '../orders/order-id.ts'
import { write, writeUnlessOvertaken } from './ledger-write.ts'

/**
 * What the workflow makes known of a signal. Every function writes one statement, so that it happens whole or
 * not at all, and may be repeated: a second write of the same step changes nothing.
 */

/** The broker accepted the entry order. Returns our id of it. */
export async function recordEntryAccepted(
  em: EntityManager,
  signalId: string,
  report: OrderReport,
  advisories: { code: string; message: string }[] = [],
): Promise<string> {
  const orderId = orderIdFor(report.clientOrderId)
  await write(em, signalId, {
    status: 'executed',
    set: { order_id: orderId, status_reason: null, status_detail: null },
    advisories,
    report,
    timeline: [acknowledgedEntry(report)],
  })
  return orderId
}

/**
 * The entry order was sent and its outcome is unknown. Writes nothing when the ledger knows better: a worker that
 * dies after it recorded the acceptance takes what it knew with it, and the next one, asking a broker that does not
 * answer, is in doubt again.
 */
export async function recordTransmitted(
  em: EntityManager,
  signalId: string,
  at: string,
  cause: string,
): Promise<void> {
  await writeUnlessOvertaken(
    em,
    signalId,
    {
      status: 'transmitted',
      set: { status_detail: `The broker's answer is not known (${cause}); looking the order up` },
      timeline: [transmittedEntry(at, 'entry', cause)],
    },
    ['executed'],
  )
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
      ? rejectedEntry(at, 'entry', outcome.code, outcome.detail)
      : notPlacedEntry(at, outcome.code, outcome.detail)
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
  { entry, plan, generation }: { entry: OrderReport; plan: ExitPlan; generation: number },
): Promise<void> {
  await write(em, signalId, {
    set: {},
    exit: {
      generation,
      status: 'scheduled',
      set: { exit_submit_at: plan.submitAt, exit_due_at: plan.submitAt },
      atFirst: { exit_reason: plan.reason },
    },
    acknowledges: [entry],
    resolves: ['unprotected_position'],
    timeline: [exitPlannedEntry(at, plan, entry.filledQuantity, generation)],
  })
}

/** The broker accepted the exit order. Returns our id of it. */
export async function recordExitAccepted(
  em: EntityManager,
  signalId: string,
  report: OrderReport,
  acknowledges: AcknowledgedEnd[] = [],
): Promise<string> {
  const orderId = orderIdFor(report.clientOrderId)
  const identity = parseClientOrderId(report.clientOrderId)
  if (identity === null) throw new TypeError(`${report.clientOrderId} is no exit of ours`)
  await write(em, signalId, {
    set: {},
    exit: {
      generation: identity.generation,
      status: 'submitted',
      set: { exit_order_id: orderId, exit_reason: null },
    },
    report,
    acknowledges,
    resolves: ['unprotected_position', 'fill_after_end'],
    timeline: [acknowledgedEntry(report)],
  })
  return orderId
}

/**
 * The exit that should be out is not: the reason is shown, and its owner alerted, until that changes. Tells whether a
 * person has acknowledged the alert.
 */
export async function recordExitTrouble(
  em: EntityManager,
  signalId: string,
  at: string,
  { acknowledges, nextTry, ...trouble }: ExitTrouble & { acknowledges: AcknowledgedEnd[]; nextTry?: NextTry },
): Promise<{ acknowledged: boolean }> {
  const { kind, code, detail, generation } = trouble
  // The order of this generation was out, so this is about the next one.
  const concerned = kind === 'ended' ? generation + 1 : generation
  const { acknowledged } = await write(em, signalId, {
    set: {},
    exit: {
      generation: concerned,
      status: kind === 'unplanned' ? 'waiting' : 'scheduled',
      set: {
        exit_reason: code === null ? detail : `${code}: ${detail}`,
        ...(nextTry && { exit_due_at: nextTry.usual }),
      },
    },
    acknowledges,
    raises: [
      unprotectedByTrouble(trouble),
      ...(code === 'BROKER_CREDENTIALS_INVALID' ? [keysRejected(detail)] : []),
    ],
    timeline: [exitTroubleEntry(at, trouble)],
  })
  if (nextTry && acknowledged) await postponeExit(em, signalId, nextTry.acknowledged)
  return { acknowledged }
}

/** When an exit that came to nothing is tried again, by whether a person has said that they know; UTC instants. */
export interface NextTry {
  usual: string
  acknowledged: string
}

/** The exit order is to be out at another instant than planned. */
export async function postponeExit(em: EntityManager, signalId: string, dueAt: string): Promise<void> {
  await em.execute(
    `update signals set exit_due_at = ?::timestamptz, updated_at = now()
     where id = ? and exit_status in ('waiting', 'scheduled')`,
    [dueAt, signalId],
    'run',
  )
}

/** Somebody asks for an order of the signal, which works at the broker, to be cancelled. */
export async function recordCancelRequested(
  em: EntityManager,
  signalId: string,
  at: string,
  { clientOrderId, by }: { clientOrderId: string; by: string },
): Promise<void> {
  await write(em, signalId, { set: {}, timeline: [cancelRequestedEntry(at, clientOrderId, by)] })
}

/** A fill that came late is known to the workflow, which need not be told again. */
export async function acknowledgeEnds(
  em: EntityManager,
  signalId: string,
  acknowledges: AcknowledgedEnd[],
): Promise<void> {
  await write(em, signalId, { set: {}, acknowledges, timeline: [] })
}

/** How a signal whose entry was accepted has ended. */
export interface SignalEnd {
  message: string
  /** The orders whose ends it has taken note of. */
  acknowledges: AcknowledgedEnd[]
  exit: (ExitState & { reason: string | null }) | null
  /** The broker rejected the entry after accepting it. */
  rejected: boolean
  /** Shares that were to be closed and have no exit; null when there are none. */
  unprotected: Decimal | null
  closing: number
  /** With what it goes on if a fill comes all the same. */
  reopenState: object
}

/** The signal's story is over. */
export async function recordClosed(
  em: EntityManager,
  signalId: string,
  at: string,
  end: SignalEnd,
): Promise<void> {
  const { exit } = end
  await write(em, signalId, {
    ...(end.rejected && { status: 'rejected' }),
    set: end.rejected ? { status_reason: 'BROKER_ERROR', status_detail: end.message } : {},
    ...(exit && {
      exit: { generation: exit.generation, status: exit.status, set: { exit_reason: exit.reason } },
    }),
    ends: { closing: end.closing, reopenState: end.reopenState },
    acknowledges: end.acknowledges,
    ...(end.unprotected !== null && { raises: [unprotectedByEnd(end.unprotected, end.message)] }),
    resolves:
      end.unprotected === null
        ? ['replaced_order_working', 'unprotected_position', 'fill_after_end']
        : ['replaced_order_working', 'fill_after_end'],
    timeline: [closedEntry(at, end.message, end.closing)],
  })
}
