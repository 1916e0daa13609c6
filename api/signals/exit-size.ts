import { chooseExitSize, findExitQuestion } from '#db/signals/chosen-size.ts'
import { findSignal } from '#db/signals/signals.ts'
import type { Signal } from '#db/entities/index.ts'
import { compare, divideDown, multiply, type Decimal } from '#domain/decimal.ts'
import type { ShownBeyond } from '#domain/exit.ts'
import { figure } from '#domain/figures.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, fault, validationError } from '#contract/errors.ts'
import { GatewayUnavailable, WorkflowOver } from '../temporal/signals.ts'
import { timeLeft } from '../temporal/calls.ts'
import type { SignalDeps } from './own-signal.ts'
import { DECISION_UNCONFIRMED } from '#domain/advisory.ts'
import { isFailed } from '#domain/signal-status.ts'
import type { ApprovalRefusedAnswer, DecidedAnswer, DecidedLineAnswer } from '#contract/signals/answers.ts'
import type { Decided } from './decide.ts'
import { presentSignal, rejectionOf } from './present.ts'

export interface ExitSizeWish {
  quantity: Decimal
  limitPrice?: Decimal | undefined
  stopPrice?: Decimal | undefined
}

/** For an exit that stops while the broker shows other shares than its fills. Throws {@link ApiError} EXIT_NOT_ASKED, VALIDATION_ERROR. */
export async function chooseSize(
  deps: SignalDeps,
  caller: Caller,
  signal: Signal,
  { quantity, limitPrice, stopPrice }: ExitSizeWish,
): Promise<Signal> {
  const { em, principal, beforeDatabaseDeadline: inTime } = caller
  const { id, userId, symbol, exitRule } = signal
  const question = await inTime(findExitQuestion(em, principal.userId, id))
  if (question === null || exitRule == null) throw new ApiError('EXIT_NOT_ASKED')
  const prices = { limitPrice, stopPrice }
  const faults = (['limitPrice', 'stopPrice'] as const).flatMap((name) => {
    const own = exitRule[name]
    prices[name] ??= afterSplit(own, question)
    if ((own === null) === (prices[name] === undefined)) return []
    const [code, why] =
      own === null
        ? ['not_allowed', `not allowed for an exit of type ${exitRule.orderType}`]
        : ['required', `required: that of the exit, ${figure(own)}, was named before its shares changed`]
    return [fault([name], code, `${name} is ${why}`)]
  })
  if (compare(quantity, question.shown) > 0)
    faults.push(
      fault(
        ['quantity'],
        'too_large',
        `quantity must be at most ${figure(question.shown)}, which the broker shows`,
      ),
    )
  if (faults.length > 0) throw validationError(faults)
  const by = await caller.actorName()
  const choice = {
    quantity,
    shown: question.shown,
    limitPrice: prices.limitPrice ?? null,
    stopPrice: prices.stopPrice ?? null,
    by,
  }
  if (!(await inTime(chooseExitSize(em, { userId, signalId: id, symbol }, choice))))
    throw new ApiError('EXIT_NOT_ASKED')
  try {
    await deps.gateway.retryExit(id, timeLeft(caller, deps))
  } catch (error) {
    if (!(error instanceof GatewayUnavailable) && !(error instanceof WorkflowOver)) throw error
    deps.logger.warn(
      { signalId: id, err: error },
      'an exit whose size was chosen is tried at its next time only',
    )
  }
  return (await inTime(findSignal(em, userId, id))) ?? signal
}

/** Dollars a share, cut to what brokers take; undefined where no split is known. */
function afterSplit(price: Decimal | null, { own, split }: ShownBeyond): Decimal | undefined {
  if (price === null || split === undefined) return undefined
  const exact = divideDown(multiply(price, own), split.own, 9)
  return divideDown(exact, '1', compare(exact, '1') >= 0 ? 2 : 4)
}

/** 200 executed, 202 outcome not known yet, 422 denied, rejected or not sent. */
export function presentApproved(
  decided: Decided,
  requestId: string,
): { status: number; body: DecidedAnswer | ApprovalRefusedAnswer } {
  const { signal, isConfirmed } = decided
  if (!isConfirmed) return presentDecided(decided)
  if (isFailed(signal.status)) return { status: 422, body: { ...rejectionOf(signal), requestId } }
  const status = signal.status === 'executed' ? 200 : 202
  return { status, body: { signal: presentSignal(signal) } }
}

/** 200 taken, 202 asked for and not confirmed yet. */
export function presentDecided({ signal, isConfirmed }: Decided): { status: number; body: DecidedAnswer } {
  if (isConfirmed) return { status: 200, body: { signal: presentSignal(signal) } }
  return { status: 202, body: { signal: presentSignal(signal), advisories: [UNCONFIRMED] } }
}

const UNCONFIRMED = {
  code: DECISION_UNCONFIRMED,
  message:
    'The decision was handed on and is not confirmed yet: it may still be taken. Look at the signal again, or send the decision again, which is harmless',
}

export function presentApprovedLine(decided: Decided): DecidedLineAnswer {
  const { signal, isConfirmed } = decided
  if (!isConfirmed || !isFailed(signal.status)) return presentDecidedLine(decided)
  const { error, code } = rejectionOf(signal)
  return { id: signal.id, success: false, code, error, signal: presentSignal(signal) }
}

export const presentDecidedLine = ({ signal, isConfirmed }: Decided): DecidedLineAnswer =>
  isConfirmed
    ? { id: signal.id, success: true, signal: presentSignal(signal) }
    : {
        id: signal.id,
        success: false,
        code: UNCONFIRMED.code,
        error: UNCONFIRMED.message,
        signal: presentSignal(signal),
      }

export const presentFailedLine = (id: string, { code, message }: ApiError): DecidedLineAnswer => ({
  id,
  success: false,
  code,
  error: message,
})
