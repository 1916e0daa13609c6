import { replaceUnfilled, type Replacement } from '#db/signals/decision-ledger.ts'
import type { Signal } from '#db/entities/index.ts'
import { findOrder } from '#db/orders/queries.ts'
import { findSignal, type NewSignal } from '#db/signals/signals.ts'
import { isPositive } from '#domain/decimal.ts'
import { sharesOf } from '#domain/figures.ts'
import { isFailed } from '#domain/signal-status.ts'
import { ApiError, temporalUnavailable } from '../http/errors.ts'
import { AnswerOverdue, GatewayUnavailable, UpdateRejected, WorkflowOver } from '../temporal/signals.ts'
import { recipientOf } from './recipient.ts'
import type { Advisory } from './schema.ts'
import { actorOf, timeLeft, type Sender, type SignalDeps } from '../access/sender.ts'

/** stored: the new signal is, in place of the old one. undecided: whether the old one gives way is not known yet. */
export type Replaced =
  | { outcome: 'stored'; signal: NewSignal; replaced: string; advisories: Advisory[] }
  | { outcome: 'undecided'; signal: Signal; advisories: Advisory[] }

/**
 * Asks a living signal to make room for another one with its sourceId. It is decided by its workflow, or, when that
 * is over, by the ledger. Null when the signal is not the one to ask any more: somebody else was faster, or it
 * has ended and freed the sourceId.
 *
 * Throws {@link ApiError} REPLACE_REFUSED_FILLED when anything has filled, and TEMPORAL_UNAVAILABLE when nobody could
 * be asked.
 */
export async function replaceSignal(
  deps: SignalDeps,
  sender: Sender,
  existing: Signal,
  replacement: Replacement,
): Promise<Replaced | null> {
  const by = await actorOf(sender)
  const row: Record<string, unknown> = { ...replacement.signal }
  const replaceRequest = { by, replacement: { row, received: replacement.received } }
  try {
    const { warning } = await deps.gateway.replace(
      recipientOf(existing),
      replaceRequest,
      timeLeft(sender, deps),
    )
    return stored(existing, replacement, warning)
  } catch (error) {
    if (error instanceof UpdateRejected && error.rejection === 'REPLACE_REFUSED_FILLED')
      throw rejectedAsFilled(error.message)
    if (error instanceof UpdateRejected || error instanceof WorkflowOver)
      return replaceEnded(sender, existing, replacement, by)
    if (error instanceof GatewayUnavailable) return undecided(sender, existing, replacement, error)
    throw error
  }
}

function stored(existing: Signal, { signal }: Replacement, warning: string | null): Replaced {
  const advisories = warning === null ? [] : [{ code: 'replaced_order_not_cancelled', message: warning }]
  return { outcome: 'stored', signal, replaced: existing.id, advisories }
}

/** Nobody is left to ask: the ledger says whether the old signal's entry has ended without a fill. */
async function replaceEnded(
  { em, beforeDatabaseDeadline: inTime }: Sender,
  { id, userId }: Signal,
  replacement: Replacement,
  by: string,
): Promise<Replaced | null> {
  const now = await inTime(findSignal(em, userId, id))
  if (!now || isFailed(now.status)) return null
  if (isPositive(now.filledQuantity)) {
    // The signal's own quantity may be dollars or percent.
    const found = now.orderId == null ? null : await inTime(findOrder(em, userId, now.orderId))
    const total = found?.order.quantity ?? now.filledQuantity
    throw rejectedAsFilled(`${sharesOf(now.filledQuantity, total)} filled`)
  }
  const detail = `Replaced by a newer signal with the same sourceId, sent by ${by}`
  const at = replacement.signal.acceptedAt.toISOString()
  const isStored = await inTime(replaceUnfilled(em, id, at, { detail, replacement }))
  return isStored ? stored(now, replacement, null) : null
}

/** No answer in time. The replacement may be stored all the same, or be stored later. */
async function undecided(
  { em, beforeDatabaseDeadline: inTime }: Sender,
  existing: Signal,
  replacement: Replacement,
  error: GatewayUnavailable,
): Promise<Replaced> {
  const { id, userId } = replacement.signal
  if (await inTime(findSignal(em, userId, id))) return stored(existing, replacement, null)
  if (!(error instanceof AnswerOverdue)) throw temporalUnavailable(error)
  const signal = (await inTime(findSignal(em, userId, existing.id))) ?? existing
  const advisory = {
    code: 'replacement_undecided',
    message: `Whether this signal gives way is not decided yet; if it does, the new signal will be ${id}`,
  }
  return { outcome: 'undecided', signal, advisories: [advisory] }
}

const rejectedAsFilled = (what: string): ApiError =>
  new ApiError('REPLACE_REFUSED_FILLED', {
    message: `The signal cannot be replaced: ${what}. Cancel the rest of its order by hand, or use a new sourceId`,
  })
