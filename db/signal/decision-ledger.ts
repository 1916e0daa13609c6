import type { AlertNotice } from '#domain/alert/alert.ts'
import { HELD_FOR_APPROVAL } from '#domain/signal/advisory.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { CancelReason, UnsentReason } from '#domain/risk/denial.ts'
import type { SignalEndingName } from '#domain/signal/end-notices.ts'
import { entryForApproval } from '#domain/signal/approval.ts'
import type { EntryForApproval } from '#domain/risk/entry-check.ts'
import type { SentEntry } from '#domain/order/entry-order.ts'
import { entryIdFor } from '#domain/order/order.ts'
import { FREED_STATUSES } from '#domain/signal/signal.ts'
import {
  cancelledEntry,
  declinedEntry,
  dueEntry,
  exitCancelledEntry,
  notPlacedEntry,
  waitingEntry,
  type TimelineEntry,
} from '#domain/signal/timeline.ts'
import type { EntityManager } from '../engine/database.ts'
import { Signal } from '../entities/index.ts'
import type { LedgerWrite } from './ledger-statement.ts'
import { DecidedAlready, IllegalTransition, write, writeUnlessOvertaken } from './ledger-write.ts'
import { insertSignal, type NewSignal } from './storing.ts'
import { readDecision } from '../order/decisions.ts'
import { SENT_ENTRY } from '../order/entry-facts.ts'
import { lockAccountSymbol, takeTurn } from '../position/symbol-state.ts'

// The first of a stop and a decision to send counts.

type Stopping = 'stopped' | 'too_late'

export async function recordWaiting(
  em: EntityManager,
  signalId: string,
  at: string,
  wait: { for: 'time' | 'person'; until: string | null },
): Promise<void> {
  await write(em, signalId, { set: {}, timeline: [waitingEntry(at, wait)] })
}

/** Returns the decision stored first. Throws {@link IllegalTransition} after an approval. `validUntil`: UTC instant. */
export async function recordRequiresApproval<T>(
  em: EntityManager,
  signalId: string,
  at: string,
  { detail, validUntil }: { detail: string; validUntil: string | null },
): Promise<EntryForApproval | T> {
  const held: EntryForApproval = { outcome: 'held', detail }
  const change: LedgerWrite = {
    status: 'pending',
    // A person's delay does not make the signal late.
    set: { ...OUT_OF_TURN, send_before: validUntil },
    holds: held,
    advisories: [{ code: HELD_FOR_APPROVAL, message: detail }],
    timeline: [entryForApproval(at, detail)],
  }
  return hold<T>(em, signalId, held, change)
}

/** Columns of a signal that no longer blocks later ones. */
export const OUT_OF_TURN = { blocked_by: null, sequencing_until: null, queued_at: null }

export async function hold<T>(
  em: EntityManager,
  signalId: string,
  held: EntryForApproval,
  change: LedgerWrite,
): Promise<EntryForApproval | T> {
  try {
    await write(em, signalId, change)
    return held
  } catch (error) {
    if (!(error instanceof IllegalTransition)) throw error
    const kept = await readDecision<EntryForApproval | T>(em, signalId, 'entry')
    if (kept === null) throw error
    return kept
  }
}

/** Edits are ignored when the order is at the broker, as after a restoration. */
export async function recordDue(
  em: EntityManager,
  signalId: string,
  at: string,
  approval: {
    by: string
    quantity: Decimal | null
    limitPrice: Decimal | null
    sendBefore: string | null
  } | null,
): Promise<void> {
  if (approval !== null)
    return em.fork().transactional(async (inner) => {
      const turn = await takeTurn(inner, signalId)
      await writeDue(inner, signalId, at, approval, { queued_at: turn })
    })
  await writeDue(em, signalId, at, null, {})
}

async function writeDue(
  em: EntityManager,
  signalId: string,
  at: string,
  approval: Parameters<typeof recordDue>[3],
  turn: Record<string, unknown>,
): Promise<void> {
  const hasEdits = approval !== null && (approval.quantity !== null || approval.limitPrice !== null)
  const sent = hasEdits ? await findSentEntry(em, signalId) : null
  await writeUnlessOvertaken(
    em,
    signalId,
    {
      status: 'queued',
      set: {
        ...(sent === null && approval?.quantity && { quantity: approval.quantity }),
        ...(sent === null && approval?.limitPrice && { limit_price: approval.limitPrice }),
        ...(approval?.sendBefore && { send_before: approval.sendBefore }),
        ...(approval && { decided_by: approval.by, decided_at: at }),
        ...turn,
      },
      ...(approval !== null && { releases: at }),
      timeline: [dueEntry(at, approval, sent)],
    },
    // A restarted workflow learns the end from the entry's check.
    ['transmitted', 'executed', ...FREED_STATUSES],
  )
}

async function findSentEntry(em: EntityManager, signalId: string): Promise<SentEntry | null> {
  const [row] = await em.execute<{ sent: SentEntry }[]>(
    `select ${SENT_ENTRY} as sent from orders o where o.client_order_id = ?`,
    [entryIdFor(signalId)],
  )
  return row?.sent ?? null
}

export async function recordDeclined(
  em: EntityManager,
  signalId: string,
  at: string,
  decline: { by: string; reason: string | null },
): Promise<Stopping> {
  return stop(em, signalId, {
    ending: 'declined',
    stops: 'entry',
    set: {
      status_reason: 'DECLINED',
      status_detail: decline.reason ?? `Declined by ${decline.by}`,
      decided_by: decline.by,
      decided_at: at,
    },
    cancelExit: true,
    timeline: [declinedEntry(at, decline)],
  })
}

export async function recordCancelled(
  em: EntityManager,
  signalId: string,
  at: string,
  { reason, detail }: { reason: UnsentReason; detail: string },
): Promise<Stopping> {
  if (reason === 'STALE')
    return stop(em, signalId, {
      stops: 'entry',
      ending: 'not_placed',
      set: { status_reason: reason, status_detail: detail },
      cancelExit: true,
      timeline: [notPlacedEntry(at, reason, detail)],
    })
  return stop(em, signalId, { ...cancellation(at, { reason, detail, acknowledges: null }), stops: 'entry' })
}

export async function recordExitCancelled(
  em: EntityManager,
  signalId: string,
  at: string,
  { by, generation }: { by: string; generation: number },
): Promise<Stopping> {
  return stop(em, signalId, {
    stops: `exit-${generation}`,
    set: { exit_cancelled_by: by },
    exit: { generation, status: 'cancelled', set: { exit_reason: 'CANCELLED_BY_PERSON' } },
    resolves: [{ kind: 'unprotected_position' }, { kind: 'fill_after_end' }],
    timeline: [exitCancelledEntry(at, by)],
  })
}

export interface Replacement {
  signal: NewSignal
  received: TimelineEntry
}

/** A single transaction never frees the sourceId in between. */
export async function recordReplaced(
  em: EntityManager,
  signalId: string,
  at: string,
  replaceRequest: {
    detail: string
    acknowledges: string | null
    mayStillFill: boolean
    replacement: Replacement
  },
): Promise<Stopping> {
  const { detail, acknowledges, mayStillFill, replacement } = replaceRequest
  const cancelled = cancellation(at, { reason: 'SUPERSEDED', detail, acknowledges })
  const wasSent = acknowledges !== null || mayStillFill
  const change: LedgerWrite = {
    ...cancelled,
    cancelExit: !mayStillFill,
    ...(!wasSent && { stops: 'entry' }),
    ...(mayStillFill && { raises: [stillWorking(detail)] }),
  }
  return em.fork().transactional(async (inner) => {
    await lockAccountSymbol(inner, replacement.signal.accountId, replacement.signal.symbol)
    const stopping = await stop(inner, signalId, change)
    if (stopping === 'stopped')
      await insertSignal(inner, sentLater(replacement.signal, at), replacement.received)
    return stopping
  })
}

/** Extends `sendBefore` by the wait, which was no outage. */
function sentLater(signal: NewSignal, at: string): NewSignal {
  if (signal.sendBefore == null || signal.validUntil != null || signal.executeMode !== 'immediate')
    return signal
  const [acceptedAt, sendBefore] = [new Date(signal.acceptedAt), new Date(signal.sendBefore)]
  const waited = Math.max(0, Date.parse(at) - acceptedAt.getTime())
  return { ...signal, sendBefore: new Date(sendBefore.getTime() + waited) }
}

export async function isReplaced(
  em: EntityManager,
  { id, accountId }: Replacement['signal'],
): Promise<boolean> {
  return (await em.fork().count(Signal, { id, accountId })) > 0
}

async function stop(em: EntityManager, signalId: string, change: LedgerWrite): Promise<Stopping> {
  try {
    await write(em, signalId, change)
    return 'stopped'
  } catch (error) {
    if (error instanceof DecidedAlready) return 'too_late'
    throw error
  }
}

/** For an unfilled entry whose workflow has ended. False, unchanged, when the signal changed. */
export async function replaceUnfilled(
  em: EntityManager,
  signalId: string,
  at: string,
  { detail, replacement }: { detail: string; replacement: Replacement },
): Promise<boolean> {
  return em.fork().transactional(async (inner) => {
    await lockAccountSymbol(inner, replacement.signal.accountId, replacement.signal.symbol)
    const rows = await inner.execute<unknown[]>(
      `select id from signals where id = ? and status = 'executed' and entry_ended_at is not null
         and filled_quantity = 0 for update`,
      [signalId],
    )
    if (rows.length === 0) return false
    await write(inner, signalId, cancellation(at, { reason: 'SUPERSEDED', detail, acknowledges: null }))
    return insertSignal(inner, replacement.signal, replacement.received)
  })
}

const CANCELLATIONS = {
  WITHDRAWN: 'withdrawn',
  EXPIRED: 'expired',
  SUPERSEDED: 'superseded',
  AT_TARGET: 'at_target',
  TARGET_SUPERSEDED: 'target_superseded',
} as const satisfies Record<CancelReason, SignalEndingName>

const cancellation = (
  at: string,
  { reason, detail, acknowledges }: { reason: CancelReason; detail: string; acknowledges: string | null },
): LedgerWrite => ({
  ending: CANCELLATIONS[reason],
  set: { status_reason: reason, status_detail: detail },
  ...(acknowledges !== null && { acknowledges: [{ clientOrderId: acknowledges, filledQuantity: '0' }] }),
  cancelExit: true,
  timeline: [cancelledEntry(at, reason, detail)],
})

const stillWorking = (detail: string): AlertNotice => ({
  kind: 'replaced_order_working',
  message: `${detail}; the broker has not cancelled its order yet, which may still fill`,
  data: {},
})
