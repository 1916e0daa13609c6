import type { DenialCode } from '#domain/denial.ts'
import type { ExitPlan, ExitStatus } from '#domain/exit.ts'
import type { OrderReport } from '#domain/order.ts'
import type { SignalStatus } from '#domain/signal-status.ts'
import {
  acknowledgedEntry,
  closedEntry,
  exitPlannedEntry,
  givenUpEntry,
  refusedEntry,
  transmittedEntry,
} from '#domain/timeline.ts'
import type { EntityManager } from './database.ts'
import { orderIdFor } from './order-id.ts'
import { IllegalTransition, write } from './ledger-write.ts'

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
 * The entry order was sent and its outcome is unknown. Writes nothing when the books know better: a worker that
 * dies after it recorded the acceptance takes what it knew with it, and the next one, asking a broker that does not
 * answer, is in doubt again.
 */
export async function recordTransmitted(
  em: EntityManager,
  signalId: string,
  at: string,
  cause: string,
): Promise<void> {
  try {
    await write(em, signalId, {
      status: 'transmitted',
      set: { status_detail: `The broker's answer is not known (${cause}); looking the order up` },
      timeline: [transmittedEntry(at, 'entry', cause)],
    })
  } catch (error) {
    if (!(error instanceof IllegalTransition) || !(await isExecuted(em, signalId))) throw error
  }
}

async function isExecuted(em: EntityManager, signalId: string): Promise<boolean> {
  const [row] = await em.execute<{ status: SignalStatus }[]>('select status from signals where id = ?', [
    signalId,
  ])
  return row?.status === 'executed'
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
    settles: [exit.entry.clientOrderId],
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

/** The signal's story is over. `settles` names the orders whose ends it has taken note of. */
export async function recordClosed(
  em: EntityManager,
  signalId: string,
  at: string,
  end: {
    message: string
    settles: string[]
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
