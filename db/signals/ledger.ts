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
 * The records that the workflow of a signal writes. Every function is one statement, so it is atomic and may be repeated:
 * a second write of the same step changes nothing.
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
 * The entry order was sent and its outcome is unknown. Writes nothing when the acceptance is recorded already: a worker may
 * crash after that record, and the next attempt may find the broker without an answer.
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

/** No entry order works: denied by a rule or rejected by the broker (rejected), or not sent (error). */
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
 * A due exit is not at the broker: records the reason, and alerts the owner until that changes. Answers whether a person
 * has acknowledged the alert.
 */
export async function recordExitTrouble(
  em: EntityManager,
  signalId: string,
  at: string,
  { acknowledges, nextTry, ...trouble }: ExitTrouble & { acknowledges: AcknowledgedEnd[]; nextTry?: NextTry },
): Promise<{ acknowledged: boolean }> {
  const { kind, code, detail, generation } = trouble
  // The order of this generation was at the broker, so the next one is meant.
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

/** Time of the next attempt of an exit, with the alert acknowledged or not; UTC instants. */
export interface NextTry {
  usual: string
  acknowledged: string
}

/** The exit order is to be sent at another time than planned. */
export async function postponeExit(em: EntityManager, signalId: string, dueAt: string): Promise<void> {
  await em.execute(
    `update signals set exit_due_at = ?::timestamptz, updated_at = now()
     where id = ? and exit_status in ('waiting', 'scheduled')`,
    [dueAt, signalId],
    'run',
  )
}

/** A cancel of a working order of the signal was requested. */
export async function recordCancelRequested(
  em: EntityManager,
  signalId: string,
  at: string,
  { clientOrderId, by }: { clientOrderId: string; by: string },
): Promise<void> {
  await write(em, signalId, { set: {}, timeline: [cancelRequestedEntry(at, clientOrderId, by)] })
}

/** The workflow knows a late fill, which need not be reported again. */
export async function acknowledgeEnds(
  em: EntityManager,
  signalId: string,
  acknowledges: AcknowledgedEnd[],
): Promise<void> {
  await write(em, signalId, { set: {}, acknowledges, timeline: [] })
}

/** The end of a signal whose entry was accepted. */
export interface SignalEnd {
  message: string
  /** The orders whose ends it acknowledges. */
  acknowledges: AcknowledgedEnd[]
  exit: (ExitState & { reason: string | null }) | null
  /** The broker rejected the entry after accepting it. */
  rejected: boolean
  /** Shares that were to be closed and have no exit; null when there are none. */
  unprotected: Decimal | null
  closing: number
  /** State to reopen it after a late fill. */
  reopenState: object
}

/** The signal has ended. */
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
