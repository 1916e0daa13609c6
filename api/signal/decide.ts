import { findOwnAccount } from '#db/account/accounts.ts'
import type { Signal } from '#db/entities/index.ts'
import { recordCancelled } from '#db/signal/decision-ledger.ts'
import { findSignal } from '#db/signal/signals.ts'
import { supersede } from '#db/signal/superseding.ts'
import { SENT_BEFORE } from '#domain/signal/advisory.ts'
import { compare, type Decimal, figure } from '#domain/money/decimal.ts'
import { withdrawnDetail, isFailed, mayBeDecided, mayCancelExit } from '#domain/signal/signal.ts'
import type { Approval, UpdateRejection } from '#workflows/signal/contract.ts'
import { ApiError, fault, temporalUnavailable, validationError } from '#contract/errors.ts'
import { requireFreshProof } from '../access/policy.ts'
import { recipientOf } from './new-signal.ts'
import type { Caller } from '../http/caller.ts'
import {
  timeLeft,
  AnswerOverdue,
  GatewayUnavailable,
  UpdateRejected,
  WorkflowOver,
  type Recipient,
} from '../temporal/calls.ts'
import type { SignalDeps } from './own-signal.ts'
import { percentFault } from '#contract/signal/rules.ts'

/** Null leaves a field. */
export interface Edits {
  /** Shares, percent or dollars by quantityType. */
  quantity: Decimal | null
  /** Dollars a share. */
  limitPrice: Decimal | null
}

// Commands throw the code named at each, and TEMPORAL_UNAVAILABLE.

/**
 * Only one of several people approves; all get the same answer, except with other edits. Throws SIGNAL_NOT_PENDING;
 * VERIFICATION_REQUIRED for a live account without a fresh proof; WOULD_BE_REFUSED for a temporary reason: the signal
 * stays pending.
 */
export async function approveSignal(
  deps: SignalDeps,
  caller: Caller,
  signal: Signal,
  edits: Edits,
): Promise<Decided> {
  await permitApproval(caller, signal)
  await requireNewest(caller, signal)
  const approval = { ...edits, sendBefore: sendBeforeOf(signal, deps) }
  const decided = await decide(deps, caller, signal, {
    isOpen: ({ executeMode, status, decidedBy }) =>
      (executeMode === 'pending' || status === 'pending' || decidedBy != null) &&
      status !== 'executed' &&
      !isFailed(status),
    beyond: 'SIGNAL_NOT_PENDING',
    isTaken: ({ status }) => status !== 'pending',
    ask: (to, by) => askForApproval(deps, caller, signal, to, { by, ...approval }),
  })
  if (!decided.isConfirmed) return decided
  const { signal: approved } = decided
  if (approved.statusReason === 'SUPERSEDED')
    throw new ApiError('SIGNAL_NOT_PENDING', { message: describeSuperseded(approved) })
  // An order sent before is shown with an advisory.
  const isSentBefore = approved.advisories.some(({ code }) => code === SENT_BEFORE)
  const isOther =
    isOtherwise(edits.quantity, approved.quantity) || isOtherwise(edits.limitPrice, approved.limitPrice)
  if (isOther && !isSentBefore)
    throw new ApiError('SIGNAL_NOT_PENDING', {
      message: `The signal was approved with other edits before: quantity ${figure(approved.quantity)}, limit price ${approved.limitPrice == null ? 'none' : figure(approved.limitPrice)} (${approved.status})`,
    })
  return decided
}

/**
 * Temporal repeats its answers: a denial that a rolled-back ledger lacks is old, and the next approval is requested.
 */
async function askForApproval(
  deps: SignalDeps,
  caller: Caller,
  { userId, id, approvalRefused }: Signal,
  to: Recipient,
  approval: Approval,
): Promise<unknown> {
  const known = approvalRefused?.count ?? 0
  for (let refusals = known; ; refusals += 1)
    try {
      return await deps.gateway.approve(to, approval, timeLeft(caller, deps), refusals)
    } catch (error) {
      if (!(error instanceof UpdateRejected) || error.denial === null) throw error
      const look = findSignal(caller.em, userId, id)
      const now = await caller.beforeDatabaseDeadline(look).catch(() => null)
      const isOld = now !== null && (now.approvalRefused?.count ?? 0) <= known
      if (!isOld || performance.now() > caller.receivedAt + deps.answerDeadline) throw error
    }
}

/** A newer alert may have arrived while an approval was pending. Throws SIGNAL_NOT_PENDING. */
async function requireNewest(
  { em, beforeDatabaseDeadline: inTime }: Caller,
  { id, tokenId, groupId, accountId, symbol, status, statusReason, statusDetail }: Signal,
): Promise<void> {
  if (statusReason === 'SUPERSEDED')
    throw new ApiError('SIGNAL_NOT_PENDING', { message: describeSuperseded({ statusDetail }) })
  if (status !== 'pending' || groupId == null || tokenId == null) return
  const ended = (await inTime(supersede(em, { tokenId, accountId, symbol }))).find((one) => one.id === id)
  if (ended !== undefined)
    throw new ApiError('SIGNAL_NOT_PENDING', { message: describeSuperseded({ statusDetail: ended.detail }) })
}

const describeSuperseded = ({ statusDetail }: Pick<Signal, 'statusDetail'>): string =>
  `The signal is cancelled (SUPERSEDED). ${statusDetail ?? ''}`.trim()

/** Real money needs a person's fresh proof. */
async function permitApproval(
  { em, principal, beforeDatabaseDeadline }: Caller,
  signal: Signal,
): Promise<void> {
  const account = await beforeDatabaseDeadline(findOwnAccount(em, signal.userId, signal.accountId))
  if (!account?.isDemo) requireFreshProof(principal)
}

export async function declineSignal(
  deps: SignalDeps,
  caller: Caller,
  signal: Signal,
  reason: string | null,
): Promise<Decided> {
  return decide(deps, caller, signal, {
    isOpen: ({ status }) => mayBeDecided(status),
    beyond: 'SIGNAL_NOT_PENDING',
    isTaken: ({ statusReason }) => statusReason === 'DECLINED',
    ask: (to, by, milliseconds) => deps.gateway.decline(to, { by, reason }, milliseconds),
  })
}

/**
 * Without a workflow the ledger withdraws the signal, which would be sent once Temporal is back. Throws
 * SIGNAL_NOT_CANCELLABLE.
 */
export async function withdrawSignal(deps: SignalDeps, caller: Caller, signal: Signal): Promise<Decided> {
  return decide(deps, caller, signal, {
    isOpen: ({ status }) => status !== 'executed' && !isFailed(status),
    beyond: 'SIGNAL_NOT_CANCELLABLE',
    isTaken: ({ statusReason }) => statusReason === 'WITHDRAWN',
    ask: (to, by, milliseconds) => deps.gateway.withdraw(to, { by }, milliseconds),
    recordUnstarted: (by) =>
      recordCancelled(caller.em, signal.id, new Date().toISOString(), {
        reason: 'WITHDRAWN',
        detail: withdrawnDetail(signal, by),
      }),
  })
}

export async function cancelExit(deps: SignalDeps, caller: Caller, signal: Signal): Promise<Decided> {
  return decide(deps, caller, signal, {
    isOpen: hasOpenExit,
    beyond: 'EXIT_NOT_CANCELLABLE',
    isTaken: ({ exitReason }) => exitReason === 'CANCELLED_BY_PERSON',
    ask: (to, by, milliseconds) => deps.gateway.cancelExit(to, { by }, milliseconds),
  })
}

/** An exit without a record waits for the entry's end. */
export const hasOpenExit = ({ status, exitRule, exitStatus }: Signal): boolean =>
  mayCancelExit(status, exitRule == null ? null : (exitStatus ?? 'waiting'))

export interface Decided {
  signal: Signal
  /** False while unconfirmed: the decision may still take effect. */
  isConfirmed: boolean
}

interface Decision {
  /** By the ledger, which may lag: the workflow decides. */
  isOpen(signal: Signal): boolean
  beyond: UpdateRejection &
    ('SIGNAL_NOT_PENDING' | 'SIGNAL_NOT_CANCELLABLE' | 'EXIT_NOT_CANCELLABLE' | 'PROTECTION_NOT_CHANGEABLE')
  isTaken(signal: Signal): boolean
  ask(to: Recipient, by: string, milliseconds: number): Promise<unknown>
  recordUnstarted?(by: string): Promise<unknown>
}

export async function decide(
  deps: SignalDeps,
  caller: Caller,
  signal: Signal,
  { isOpen, beyond, isTaken, ask, recordUnstarted }: Decision,
): Promise<Decided> {
  if (!isOpen(signal)) throw new ApiError(beyond, { message: describeState(signal) })
  const lookAgain = async (): Promise<Signal> => {
    const look = findSignal(caller.em, signal.userId, signal.id)
    return (await caller.beforeDatabaseDeadline(look)) ?? signal
  }
  const by = await caller.actorName()
  try {
    await ask(recipientOf(signal), by, timeLeft(caller, deps))
  } catch (error) {
    if (error instanceof UpdateRejected && error.denial !== null)
      throw new ApiError('WOULD_BE_REFUSED', {
        message: error.message,
        details: [fault([], error.denial, error.message)],
      })
    if (error instanceof UpdateRejected) throw new ApiError(beyond, { message: error.message })
    if (error instanceof WorkflowOver)
      throw new ApiError(beyond, { message: describeState(await lookAgain()) })
    if (!(error instanceof GatewayUnavailable)) throw error
    const mayBeTaken = error instanceof AnswerOverdue
    const recordAndLook = async (): Promise<Signal> => {
      if (recordUnstarted && signal.workflowStartedAt == null)
        await caller.beforeDatabaseDeadline(recordUnstarted(by))
      return lookAgain()
    }
    // Temporal may act, even if the database fails here.
    const now = await (mayBeTaken ? recordAndLook().catch(() => signal) : recordAndLook())
    const isConfirmed = isTaken(now)
    if (!isConfirmed && !mayBeTaken) throw temporalUnavailable(error)
    deps.logger.warn({ signalId: signal.id, err: error }, 'the outcome of a decision is not known yet')
    return { signal: now, isConfirmed }
  }
  // The decision took effect, even if the database cannot show it.
  return lookAgain().then(
    (now) => ({ signal: now, isConfirmed: true }),
    () => ({ signal, isConfirmed: false }),
  )
}

export function describeState({ status, statusReason, exitStatus }: Signal): string {
  const why = statusReason == null ? '' : ` (${statusReason})`
  const exit = exitStatus == null ? '' : `, its exit ${exitStatus}`
  return `The signal is ${status}${why}${exit}`
}

/** UTC instant at which an approval expires. */
export function sendBeforeOf(
  { validUntil }: Signal,
  { signalTtl, now = Date.now }: Pick<SignalDeps, 'signalTtl' | 'now'>,
): string {
  const stale = now() + signalTtl
  return new Date(validUntil == null ? stale : Math.min(stale, validUntil.getTime())).toISOString()
}

const isOtherwise = (asked: Decimal | null, stands: Decimal | null | undefined): boolean =>
  asked !== null && (stands == null || compare(asked, stands) !== 0)

export function editsOf(
  { orderType, quantityType, target }: Pick<Signal, 'orderType' | 'quantityType' | 'target'>,
  { quantity, limitPrice }: { quantity?: Decimal | undefined; limitPrice?: Decimal | undefined },
): Edits {
  if (limitPrice !== undefined && orderType !== 'limit' && orderType !== 'stopLimit')
    throw validationError([
      fault(
        ['limitPrice'],
        'not_allowed',
        `limitPrice is not allowed for orderType ${orderType}: leave it out`,
      ),
    ])
  if (quantity !== undefined && target)
    throw validationError([
      fault(
        ['quantity'],
        'not_allowed',
        'quantity is not allowed for a signal whose order depends on the position',
      ),
    ])
  const tooBig = quantity === undefined ? null : percentFault(quantityType, quantity)
  if (tooBig !== null) throw validationError([fault(['quantity'], 'too_big', `quantity ${tooBig}`)])
  return { quantity: quantity ?? null, limitPrice: limitPrice ?? null }
}
