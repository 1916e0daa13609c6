import { WAITS_FOR_SESSION } from '#domain/signal/advisory.ts'
import { keysRejected, unprotectedByEnd, unprotectedByTrouble } from '#domain/alert/alert.ts'
import type { DenialCode } from '#domain/risk/denial.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { endedEarlyMessage } from '#domain/order/entry-order.ts'
import type { ScheduledExit } from '#domain/exit/schedule.ts'
import type { ExitSchedule, ExitState, ExitTrouble } from '#domain/exit/exit.ts'
import type { ExitProgress } from '#domain/exit/progress.ts'
import { parseClientOrderId, type OrderReport, type AcknowledgedEnd } from '#domain/order/order.ts'
import {
  acknowledgedEntry,
  cancelRequestedEntry,
  closedEntry,
  exitMovedEntry,
  exitScheduledEntry,
  exitTroubleEntry,
  notPlacedEntry,
  rejectedEntry,
  sessionWaitEntry,
  transmittedEntry,
  type TimelineEntry,
} from '#domain/signal/timeline.ts'
import type { EntityManager } from '../engine/database.ts'
import { orderIdFor } from '../order/order-rows.ts'
import { notifiedOfEarlyEnd, notifiedOfPart } from './end-notices.ts'
import { alertsOnceOut, alertsOnceScheduled, onceEnded } from '../exit/exits.ts'
import type { LedgerWrite } from './ledger-statement.ts'
import { write, writeUnlessOvertaken } from './ledger-write.ts'

// Each write is one atomic statement; a repetition changes nothing.

/** Records an acceptance; returns an entry with earlier fills of the feed. */
export async function recordAccepted(
  em: EntityManager,
  report: OrderReport,
  {
    advisories = [],
    acknowledges = [],
    progress,
  }: { advisories?: Advisory[]; acknowledges?: AcknowledgedEnd[]; progress?: ExitProgress } = {},
): Promise<{ orderId: string; report: OrderReport }> {
  const identity = parseClientOrderId(report.clientOrderId)
  if (identity === null) throw new TypeError(`${report.clientOrderId} is no order of ours`)
  const { signalId, role, generation } = identity
  const orderId = orderIdFor(report.clientOrderId)
  const written = await write(em, signalId, {
    ...(role === 'entry'
      ? {
          status: 'executed' as const,
          set: { order_id: orderId, status_reason: null, status_detail: null },
          advisories,
        }
      : {
          set: {},
          exit: {
            generation,
            status: 'submitted',
            set: { exit_order_id: orderId, exit_reason: null, ...stored(progress) },
          },
          ...alertsOnceOut(generation, identity.purpose),
        }),
    report,
    acknowledges,
    timeline: [acknowledgedEntry(report), ...sessionEntries(report, advisories)],
  })
  // A message reports an exit's fill: a task repeated after the end would read a closed exit.
  return { orderId, report: (role === 'entry' && written.report) || report }
}

const sessionEntries = ({ submittedAt }: OrderReport, advisories: Advisory[]): TimelineEntry[] =>
  advisories
    .filter(({ code }) => code === WAITS_FOR_SESSION)
    .map(({ message }) => sessionWaitEntry(submittedAt, message))

const stored = (progress: ExitProgress | undefined) => progress && { exit_progress: progress }

interface Advisory {
  code: string
  message: string
}

/** Skipped for an accepted signal: a worker may be in doubt again after a crash. */
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

export async function recordNotPlaced(
  em: EntityManager,
  signalId: string,
  at: string,
  { outcome, code, detail }: { outcome: 'rejected' | 'not_placed'; code: DenialCode; detail: string },
): Promise<void> {
  await write(em, signalId, {
    ending: outcome === 'rejected' ? 'refused' : 'not_placed',
    set: { status_reason: code, status_detail: detail },
    cancelExit: true,
    timeline: [
      outcome === 'rejected' ? rejectedEntry(at, 'entry', code, detail) : notPlacedEntry(at, code, detail),
    ],
  })
}

/** Also a moved exit, with an alert where it leaves its day. `at`: UTC, the same for a repetition. */
export async function recordExitScheduled(
  em: EntityManager,
  signalId: string,
  at: string,
  {
    entry,
    plan,
    progress,
  }: { entry: OrderReport; plan: ExitSchedule & Partial<ScheduledExit>; progress: ExitProgress },
): Promise<void> {
  const { generation } = progress
  const { shift = null, by = null, submitAt, reason } = plan
  const moved = shift && { from: shift.from, submitAt, reason }
  const { raises, resolves } = alertsOnceScheduled(shift, submitAt, generation)
  await write(em, signalId, {
    set: {},
    exit: {
      generation,
      status: 'scheduled',
      set: {
        exit_submit_at: submitAt,
        exit_due_at: submitAt,
        exit_calendar: by,
        ...stored(progress),
        ...(moved && { exit_reason: reason }),
      },
      ...(!moved && { atFirst: { exit_reason: reason } }),
    },
    acknowledges: [entry],
    raises: [
      ...raises,
      ...(entry.status === 'FILLED' || moved ? [] : notifiedOfPart(endedEarlyMessage(entry))),
    ],
    resolves,
    timeline: [
      moved
        ? exitMovedEntry(at, moved, generation)
        : exitScheduledEntry(at, plan, entry.filledQuantity, generation),
    ],
  })
}

/** A due exit is not at the broker; returns whether the alert is acknowledged. */
export async function recordExitTrouble(
  em: EntityManager,
  signalId: string,
  at: string,
  {
    acknowledges,
    nextTry,
    isQuiet,
    progress,
    ...trouble
  }: ExitTrouble & {
    acknowledges: AcknowledgedEnd[]
    nextTry?: NextTry
    isQuiet?: true
    progress?: ExitProgress
  },
): Promise<{ acknowledged: boolean }> {
  const { kind, code, detail, generation } = trouble
  const concerned = kind === 'ended' ? generation + 1 : generation
  const { acknowledged } = await write(em, signalId, {
    set: {},
    exit: {
      generation: concerned,
      status: kind === 'unplanned' ? 'waiting' : 'scheduled',
      set: {
        exit_reason: detail,
        ...stored(progress),
        // A waiting exit never shows a past instant.
        ...(nextTry && { exit_due_at: nextTry.usual, exit_submit_at: nextTry.usual }),
        ...(kind === 'unplanned' && { exit_due_at: at }),
      },
    },
    acknowledges,
    ...((kind === 'rejected' || kind === 'taken_back') && { strikesOut: `exit-${generation}` }),
    raises: [
      ...(isQuiet ? [] : [unprotectedByTrouble(trouble)]),
      ...(code === 'BROKER_CREDENTIALS_INVALID' ? [keysRejected(detail)] : []),
    ],
    timeline: [exitTroubleEntry(at, trouble)],
  })
  if (nextTry && acknowledged) await postponeExit(em, signalId, nextTry.acknowledged)
  return { acknowledged }
}

/** UTC instants of the next attempt, without and with an acknowledged alert. */
export interface NextTry {
  usual: string
  acknowledged: string
}

async function postponeExit(em: EntityManager, signalId: string, dueAt: string): Promise<void> {
  await em.execute(
    `update signals set exit_due_at = ?::timestamptz, exit_submit_at = ?::timestamptz, updated_at = now()
     where id = ? and exit_status in ('waiting', 'scheduled')`,
    [dueAt, dueAt, signalId],
  )
}

export async function recordCancelRequested(
  em: EntityManager,
  signalId: string,
  at: string,
  { clientOrderId, by }: { clientOrderId: string; by: string },
): Promise<void> {
  const cancels = { clientOrderId, by }
  await write(em, signalId, { set: {}, cancels, timeline: [cancelRequestedEntry(at, clientOrderId, by)] })
}

export async function acknowledgeEnds(
  em: EntityManager,
  signalId: string,
  acknowledges: AcknowledgedEnd[],
): Promise<void> {
  await write(em, signalId, { set: {}, acknowledges, timeline: [] })
}

export interface SignalEnd {
  message: string
  acknowledges: AcknowledgedEnd[]
  exit: (ExitState & { reason: string | null }) | null
  rejected: boolean
  /** Shares without a needed exit; null for none. */
  unprotected: Decimal | null
  closing: number
  entryFilled: Decimal
  progress: ExitProgress
}

export const recordClosed = async (
  em: EntityManager,
  signalId: string,
  at: string,
  end: SignalEnd,
): Promise<void> => void (await write(em, signalId, endOfSignal(at, end)))

function endOfSignal(
  at: string,
  { exit, rejected, unprotected, message, acknowledges, closing, entryFilled, progress }: SignalEnd,
): LedgerWrite {
  // A scheduled exit has notified the entry's end already.
  const isEndOfEntry = exit === null || exit.reason === 'ENTRY_NOT_FILLED'
  return {
    ...(rejected && { ending: 'rejected_late' }),
    set: rejected ? { status_reason: 'BROKER_ERROR', status_detail: message } : {},
    ...(exit && {
      exit: { generation: exit.generation, status: exit.status, set: { exit_reason: exit.reason } },
    }),
    ends: { closing, entryFilled, progress },
    acknowledges,
    raises: [
      ...(unprotected === null ? [] : [unprotectedByEnd(unprotected, message)]),
      ...(isEndOfEntry && !rejected ? notifiedOfEarlyEnd(message) : []),
    ],
    resolves: onceEnded(unprotected),
    timeline: [closedEntry(at, message, closing)],
  }
}
