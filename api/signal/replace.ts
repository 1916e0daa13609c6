import { replaceUnfilled, type Replacement } from '#db/signal/decision-ledger.ts'
import type { Signal } from '#db/entities/index.ts'
import { findOrder } from '#db/order/queries.ts'
import { findSignal } from '#db/signal/signals.ts'
import { isPositive, sharesOf } from '#domain/money/decimal.ts'
import { isFailed } from '#domain/signal/signal.ts'
import { ApiError, temporalUnavailable } from '#contract/errors.ts'
import { recipientOf, freshState } from './new-signal.ts'
import type { Caller } from '../http/caller.ts'
import type { Accepted } from '../intake/request.ts'
import {
  timeLeft,
  AnswerOverdue,
  GatewayUnavailable,
  UpdateRejected,
  WorkflowOver,
} from '../temporal/calls.ts'
import type { AcceptanceDeps, SignalDeps } from './own-signal.ts'
import { dueWithdrawals } from '#db/signal/of-tokens.ts'
import { mapLimit } from '#domain/async/map-limit.ts'

/**
 * Null when the signal no longer holds the sourceId. Throws REPLACE_REFUSED_FILLED after a fill, and
 * TEMPORAL_UNAVAILABLE.
 */
export async function replaceSignal(
  deps: Pick<AcceptanceDeps, 'gateway' | 'answerDeadline'>,
  caller: Caller,
  existing: Signal,
  replacement: Replacement,
): Promise<Accepted | null> {
  if (isFailed(existing.status)) throw rejectedAsFilled('one of its orders may still work at the broker')
  const by = await caller.actorName()
  const row: Record<string, unknown> = { ...replacement.signal }
  const replaceRequest = { by, replacement: { row, received: replacement.received } }
  try {
    const { warning } = await deps.gateway.replace(
      recipientOf(existing),
      replaceRequest,
      timeLeft(caller, deps),
    )
    return stored(existing, replacement, warning)
  } catch (error) {
    if (error instanceof UpdateRejected && error.rejection === 'REPLACE_REFUSED_FILLED')
      throw rejectedAsFilled(error.message)
    if (error instanceof UpdateRejected || error instanceof WorkflowOver)
      return replaceEnded(caller, existing, replacement, by)
    if (error instanceof GatewayUnavailable) return undecided(caller, existing, replacement, error)
    throw error
  }
}

function stored(existing: Signal, { signal }: Replacement, warning: string | null): Accepted {
  const advisories = warning === null ? [] : [{ code: 'replaced_order_not_cancelled', message: warning }]
  return { outcome: 'new', signal: freshState(signal), replaced: existing.id, advisories }
}

async function replaceEnded(
  caller: Caller,
  { id, userId }: Signal,
  replacement: Replacement,
  by: string,
): Promise<Accepted | null> {
  const { em, beforeDatabaseDeadline: inTime } = caller
  const now = await inTime(findSignal(em, userId, id))
  if (!now || isFailed(now.status)) return null
  const rejection = await refusalToReplace(caller, now)
  if (rejection !== null) throw rejection
  const detail = `Replaced by a newer signal with the same sourceId, sent by ${by}`
  const at = replacement.signal.acceptedAt.toISOString()
  try {
    const isStored = await inTime(replaceUnfilled(em, id, at, { detail, replacement }))
    return isStored ? stored(now, replacement, null) : null
  } catch (error) {
    // The replacement may be committed.
    if (error instanceof ApiError && error.code === 'DATABASE_UNAVAILABLE')
      return asUndecided(now, replacement)
    throw error
  }
}

async function refusalToReplace(
  { em, beforeDatabaseDeadline: inTime }: Pick<Caller, 'em' | 'beforeDatabaseDeadline'>,
  { userId, orderId, filledQuantity }: Signal,
): Promise<ApiError | null> {
  if (!isPositive(filledQuantity)) return null
  // The signal's own quantity may be dollars or percent.
  const found = orderId == null ? null : await inTime(findOrder(em, userId, orderId))
  return rejectedAsFilled(`${sharesOf(filledQuantity, found?.order.quantity ?? filledQuantity)} filled`)
}

/** The replacement may be stored, now or later. */
async function undecided(
  { em, beforeDatabaseDeadline: inTime }: Caller,
  existing: Signal,
  replacement: Replacement,
  error: GatewayUnavailable,
): Promise<Accepted> {
  const { id, userId } = replacement.signal
  if (!(error instanceof AnswerOverdue)) throw temporalUnavailable(error)
  // A hanging database is no reason to resend.
  const look = (signalId: string) => inTime(findSignal(em, userId, signalId)).catch(() => null)
  if (await look(id)) return stored(existing, replacement, null)
  return asUndecided((await look(existing.id)) ?? existing, replacement)
}

function asUndecided(old: Signal, replacement: Replacement): Accepted {
  const advisory = {
    code: 'replacement_undecided',
    message: `Whether the signal ${old.id} (${old.status}) is replaced is not decided yet: if it is, this signal takes its place; if its order fills first, this one is never recorded`,
  }
  const signal = freshState(replacement.signal)
  return { outcome: 'undecided', signal, replaced: null, advisories: [advisory] }
}

const rejectedAsFilled = (what: string): ApiError =>
  new ApiError('REPLACE_REFUSED_FILLED', {
    message: `The signal cannot be replaced: ${what}. Cancel the rest of its order yourself, or use a new sourceId`,
  })

const WITHDRAWN_AT_ONCE = 16
const WITHDRAWN_BEFORE_ANSWER = 500

/** Works until the answer is due; the supervisor does the rest. Never throws: the token is revoked. */
export async function withdrawWithToken(
  deps: Pick<SignalDeps, 'gateway' | 'logger' | 'answerDeadline'>,
  caller: Caller,
  tokenId: string,
): Promise<{ withdrawn: number; over: number }> {
  const done = { withdrawn: 0, over: 0 }
  let isOutage = false
  try {
    const find = dueWithdrawals(caller.em, tokenId, [], WITHDRAWN_BEFORE_ANSWER)
    await mapLimit(WITHDRAWN_AT_ONCE, await caller.beforeDatabaseDeadline(find), async ({ signal, by }) => {
      if (isOutage) return
      try {
        await deps.gateway.withdraw(recipientOf(signal), { by }, timeLeft(caller, deps))
        done.withdrawn++
      } catch (error) {
        if (error instanceof UpdateRejected || error instanceof WorkflowOver) {
          const now = await caller.beforeDatabaseDeadline(findSignal(caller.em, signal.userId, signal.id))
          // The supervisor may have been faster.
          done[now?.statusReason === 'WITHDRAWN' ? 'withdrawn' : 'over']++
        } else if (error instanceof GatewayUnavailable) isOutage = true
        else throw error
      }
    })
  } catch (error) {
    deps.logger.warn({ err: error, tokenId }, 'signals of a revoked token are left to the supervisor')
  }
  return done
}
