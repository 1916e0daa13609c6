import type { Signal } from '#db/entities/index.ts'
import { findSignal, type NewSignal } from '#db/signals/signals.ts'
import type { Failpoint } from '../http/failpoint.ts'
import { GatewayUnavailable } from '../temporal/signals.ts'
import { acceptSignal } from './acceptance.ts'
import type { Advisory, SignalRequest } from './schema.ts'
import { timeLeft, type Sender, type SignalDeps } from '../access/sender.ts'
import { termsOf } from '#db/signals/terms.ts'

/** How a signal stands when its sender is answered. */
export type SignalSummary = Pick<
  Signal,
  | 'id'
  | 'status'
  | 'executeMode'
  | 'orderId'
  | 'scheduledAt'
  | 'validUntil'
  | 'sourceId'
  | 'sendBefore'
  | 'statusReason'
  | 'statusDetail'
  | 'advisories'
>

/** What became of a signal that was sent. */
export interface AcceptedSignal {
  /**
   * new: the signal was stored. existing: an earlier one holds the sourceId and nothing was stored. undecided:
   * whether that one gives way to the new one is not known yet.
   */
  outcome: 'new' | 'existing' | 'undecided'
  signal: SignalSummary
  /** Id of the signal whose place it took. */
  replaced: string | null
  advisories: Advisory[]
}

/**
 * Accepts a signal: stores it, in place of an earlier one where that is asked for, starts its workflow, and waits
 * for the entry of an immediate one as long as the answer deadline allows. What is refused by a rule is not stored.
 * Once stored it is accepted, whatever fails afterwards: the sweeper starts what was not started.
 *
 * Throws {@link ApiError} ACCOUNT_NOT_FOUND, STRATEGY_NOT_FOUND, STRATEGY_PAUSED, MODE_MISMATCH,
 * REPLACE_REFUSED_FILLED, SOURCE_ID_CONTENDED, WAITING_SIGNAL_LIMIT_REACHED, TEMPORAL_UNAVAILABLE, DATABASE_UNAVAILABLE.
 */
export async function createSignal(
  deps: SignalDeps & { failpoint: Failpoint },
  sender: Sender,
  request: SignalRequest,
): Promise<AcceptedSignal> {
  const accepted = await acceptSignal(deps, sender, request)
  const { outcome, signal, advisories } = accepted
  if (outcome !== 'stored') return { outcome, signal, replaced: null, advisories }
  await deps.failpoint('api.after_commit')
  const summary = await started(deps, sender, signal)
  await deps.failpoint('api.after_start')
  return {
    outcome: 'new',
    signal: summary,
    replaced: accepted.replaced,
    advisories: [...summary.advisories, ...advisories],
  }
}

/**
 * How a stored signal stands once it is started, and its entry settled if it is immediate, or the answer is due.
 * Never throws: the signal is accepted, and an error would make its sender send it again.
 */
async function started(deps: SignalDeps, sender: Sender, signal: NewSignal): Promise<SignalSummary> {
  const fresh: SignalSummary = { ...signal, orderId: null, statusReason: null, statusDetail: null }
  const log = { requestId: sender.requestId, signalId: signal.id }
  const { gateway, logger } = deps
  const left = timeLeft(sender, deps)
  try {
    if (signal.executeMode !== 'immediate') {
      await gateway.start(termsOf(signal), left)
      return fresh
    }
    const { status, orderId, reason, detail, advisories } = await gateway.startAndAwaitEntry(
      termsOf(signal),
      left,
    )
    const known = [...fresh.advisories, ...(advisories ?? [])]
    return { ...fresh, status, orderId, statusReason: reason, statusDetail: detail, advisories: known }
  } catch (error) {
    const level = error instanceof GatewayUnavailable ? 'warn' : 'error'
    logger[level]({ ...log, err: error }, 'the signal was not started or settled before the answer was due')
  }
  try {
    const look = findSignal(sender.em, signal.userId, signal.id)
    return (await sender.beforeDatabaseDeadline(look)) ?? fresh
  } catch (error) {
    logger.warn({ ...log, err: error }, 'the signal could not be read again')
    return fresh
  }
}
