import { findOwnAccount } from '#db/accounts/accounts.ts'
import type { Signal } from '#db/entities/index.ts'
import { findSignal } from '#db/signals/signals.ts'
import { compare } from '#domain/decimal.ts'
import { isFailed } from '#domain/signal-status.ts'
import type { UpdateRejection } from '#workflows/signal/contract.ts'
import { ApiError, temporalUnavailable } from '../http/errors.ts'
import { requireFreshProof } from '../identity/verification-commands.ts'
import { GatewayUnavailable, UpdateRejected, WorkflowOver, type Recipient } from '../temporal/signals.ts'
import { recipientOf } from './recipient.ts'
import { timeLeft, type Decider, type SignalDeps } from '../access/sender.ts'

/** What the person who approves changes; null leaves it. */
export interface Edits {
  /** Shares, percent or dollars, as the signal's quantityType says. */
  quantity: string | null
  /** Dollars a share. */
  limitPrice: string | null
}

/**
 * The decisions that people and programs take about a stored signal. Each is taken by its workflow, once; each
 * resolves with the signal as it stands then, and may be asked for again.
 *
 * They throw {@link ApiError} with the code given at each when the signal is beyond that decision, naming how it
 * stands, and TEMPORAL_UNAVAILABLE when the decision is not confirmed in time.
 */

/**
 * Lets a pending signal go and waits for its entry as long as the answer deadline allows. Of any number of people at
 * once one approves it, and all are told the same, but for those who asked for other edits. SIGNAL_NOT_PENDING, and
 * VERIFICATION_REQUIRED for a live account without a fresh proof.
 */
export async function approveSignal(
  deps: SignalDeps,
  decider: Decider,
  signal: Signal,
  edits: Edits,
): Promise<Signal> {
  await permitApproval(decider, signal)
  const sendBefore = sendBeforeOf(signal, deps.maxStaleness)
  const approved = await decide(deps, decider, signal, {
    isOpen: ({ executeMode, status }) =>
      executeMode === 'pending' && status !== 'executed' && !isFailed(status),
    beyond: 'SIGNAL_NOT_PENDING',
    isTaken: ({ status }) => status !== 'pending',
    ask: (to, milliseconds) =>
      deps.gateway.approve(to, { by: decider.by, ...edits, sendBefore }, milliseconds),
  })
  if (isOtherwise(edits.quantity, approved.quantity) || isOtherwise(edits.limitPrice, approved.limitPrice))
    throw new ApiError('SIGNAL_NOT_PENDING', {
      message: `The signal was approved with other edits before: quantity ${approved.quantity}, limit price ${approved.limitPrice ?? 'none'} (${approved.status})`,
    })
  return approved
}

/** Real money is let go only by a person who has just proven who they are. */
async function permitApproval(
  { em, principal, beforeDatabaseDeadline }: Decider,
  signal: Signal,
): Promise<void> {
  const account = await beforeDatabaseDeadline(findOwnAccount(em, signal.userId, signal.accountId))
  if (!account?.isDemo) requireFreshProof(principal)
}

/** Declines a pending signal. SIGNAL_NOT_PENDING. */
export async function declineSignal(
  deps: SignalDeps,
  decider: Decider,
  signal: Signal,
  reason: string | null,
): Promise<Signal> {
  return decide(deps, decider, signal, {
    isOpen: ({ executeMode, status }) => executeMode === 'pending' && status === 'pending',
    beyond: 'SIGNAL_NOT_PENDING',
    isTaken: ({ statusReason }) => statusReason === 'DECLINED',
    ask: (to, milliseconds) => deps.gateway.decline(to, { by: decider.by, reason }, milliseconds),
  })
}

/** Withdraws a signal before its order is sent: afterwards none will be. SIGNAL_NOT_CANCELLABLE. */
export async function withdrawSignal(deps: SignalDeps, decider: Decider, signal: Signal): Promise<Signal> {
  return decide(deps, decider, signal, {
    isOpen: ({ status }) => status !== 'executed' && !isFailed(status),
    beyond: 'SIGNAL_NOT_CANCELLABLE',
    isTaken: ({ statusReason }) => statusReason === 'WITHDRAWN',
    ask: (to, milliseconds) => deps.gateway.withdraw(to, { by: decider.by }, milliseconds),
  })
}

/** Cancels the exit of an executed signal before it is sent; the position stays. EXIT_NOT_CANCELLABLE. */
export async function cancelExit(deps: SignalDeps, decider: Decider, signal: Signal): Promise<Signal> {
  return decide(deps, decider, signal, {
    isOpen: ({ status, exitRule, exitStatus }) =>
      exitRule !== null && status === 'executed' && (exitStatus == null || MAY_BE_CANCELLED.has(exitStatus)),
    beyond: 'EXIT_NOT_CANCELLABLE',
    isTaken: ({ exitReason }) => exitReason === 'CANCELLED_BY_PERSON',
    ask: (to, milliseconds) => deps.gateway.cancelExit(to, { by: decider.by }, milliseconds),
  })
}

/** Exits that have not been sent, as far as the ledger knows. */
const MAY_BE_CANCELLED: ReadonlySet<string> = new Set(['waiting', 'scheduled'])

interface Decision {
  /** Whether, by the ledger, the signal may still be decided on. They may lag behind: its workflow has the last word. */
  isOpen(signal: Signal): boolean
  /** The code for a signal that may not. */
  beyond: UpdateRejection & ('SIGNAL_NOT_PENDING' | 'SIGNAL_NOT_CANCELLABLE' | 'EXIT_NOT_CANCELLABLE')
  /** Whether the ledger shows that the decision was taken. */
  isTaken(signal: Signal): boolean
  ask(to: Recipient, milliseconds: number): Promise<unknown>
}

async function decide(
  deps: SignalDeps,
  decider: Decider,
  signal: Signal,
  { isOpen, beyond, isTaken, ask }: Decision,
): Promise<Signal> {
  if (!isOpen(signal)) throw new ApiError(beyond, { message: describeState(signal) })
  const lookAgain = async (): Promise<Signal> => {
    const look = findSignal(decider.em, signal.userId, signal.id)
    return (await decider.beforeDatabaseDeadline(look)) ?? signal
  }
  try {
    await ask(recipientOf(signal), timeLeft(decider, deps))
  } catch (error) {
    if (error instanceof UpdateRejected) throw new ApiError(beyond, { message: error.message })
    if (error instanceof WorkflowOver)
      throw new ApiError(beyond, { message: describeState(await lookAgain()) })
    if (!(error instanceof GatewayUnavailable)) throw error
    const now = await lookAgain()
    if (!isTaken(now)) throw temporalUnavailable(error)
    deps.logger.warn(
      { signalId: signal.id, err: error },
      'a decision was taken and its outcome is not known yet',
    )
    return now
  }
  return lookAgain()
}

/** How a signal stands, for somebody who came too late. */
function describeState({ status, statusReason, exitStatus }: Signal): string {
  const why = statusReason == null ? '' : ` (${statusReason})`
  const exit = exitStatus == null ? '' : `, its exit ${exitStatus}`
  return `The signal is ${status}${why}${exit}`
}

/** When an approval given now is too old to act upon; UTC instant. */
function sendBeforeOf({ validUntil }: Signal, maxStaleness: number): string {
  const stale = Date.now() + maxStaleness
  return new Date(validUntil == null ? stale : Math.min(stale, validUntil.getTime())).toISOString()
}

const isOtherwise = (asked: string | null, stands: string | null | undefined): boolean =>
  asked !== null && (stands == null || compare(asked, stands) !== 0)
