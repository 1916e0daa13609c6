import type { Signal } from '#db/entities/index.ts'
import { findSignal, type NewSignal } from '#db/signals/signals.ts'
import type { Failpoint } from '../http/failpoint.ts'
import { GatewayUnavailable, WorkflowOver } from '../temporal/signals.ts'
import { acceptSignal, type Existing } from './acceptance.ts'
import type { Advisory, SignalRequest } from './schema.ts'
import type { Caller } from '../http/caller.ts'
import { timeLeft } from '../temporal/time-left.ts'
import type { SignalDeps } from './deps.ts'
import { termsOf } from '#db/signals/terms.ts'

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

export type AcceptedSignal = NewlyAccepted | Existing
interface NewlyAccepted {
  /** undecided: whether the earlier signal gives way is not known yet; the new one is on record as soon as that one has. */
  outcome: 'new' | 'undecided'
  signal: SignalSummary
  replaced: string | null
  advisories: Advisory[]
}

/**
 * A signal that a rule denies is not stored. A stored signal is accepted, whatever fails afterwards: the supervisor starts its
 * workflow. Waits for the entry of an immediate one as long as the answer deadline allows.
 * Throws {@link ApiError} ACCOUNT_NOT_FOUND, STRATEGY_NOT_FOUND, STRATEGY_PAUSED, MODE_MISMATCH, REPLACE_REFUSED_FILLED,
 * SOURCE_ID_CONTENDED, WAITING_SIGNAL_LIMIT_REACHED, TEMPORAL_UNAVAILABLE, DATABASE_UNAVAILABLE.
 */
export async function createSignal(
  deps: SignalDeps & { failpoint: Failpoint },
  caller: Caller,
  request: SignalRequest,
  { source, begins }: { source: string; begins: 'now' | 'later' },
): Promise<AcceptedSignal> {
  const accepted = await acceptSignal(deps, caller, request, source)
  if (accepted.outcome === 'existing') return accepted
  const { advisories } = accepted
  if (accepted.outcome === 'undecided')
    return { outcome: 'undecided', signal: freshState(accepted.signal), replaced: null, advisories }
  await deps.failpoint('api.after_commit')
  const summary =
    begins === 'now' ? await started(deps, caller, accepted.signal) : freshState(accepted.signal)
  await deps.failpoint('api.after_start')
  return {
    outcome: 'new',
    signal: summary,
    replaced: accepted.replaced,
    advisories: [...summary.advisories, ...advisories],
  }
}

export const freshState = (signal: NewSignal): SignalSummary => ({
  ...signal,
  orderId: null,
  statusReason: null,
  statusDetail: null,
})

/** Never throws: the signal is accepted, and an error would make its sender send it again. */
export async function started(deps: SignalDeps, caller: Caller, signal: NewSignal): Promise<SignalSummary> {
  const fresh = freshState(signal)
  const log = { requestId: caller.requestId, signalId: signal.id }
  const { gateway, logger } = deps
  const left = timeLeft(caller, deps)
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
    if (!(error instanceof WorkflowOver))
      logger[level](
        { ...log, err: error },
        'the signal was not started, or its entry had no outcome, before the answer was due',
      )
  }
  try {
    const look = findSignal(caller.em, signal.userId, signal.id)
    return (await caller.beforeDatabaseDeadline(look)) ?? fresh
  } catch (error) {
    logger.warn({ ...log, err: error }, 'the signal could not be read again')
    return fresh
  }
}
