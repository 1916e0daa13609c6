import { figure } from '#domain/money/decimal.ts'
import { sizeBefore } from '#domain/signal/moves.ts'
import type { SignalRequest, Advisory } from '#contract/signal/request.ts'
import type { Signal, SignalGroup } from '#db/entities/index.ts'
import type { ListedGroup } from '#db/signal/groups.ts'
import { isFailed, type SignalStatus } from '#domain/signal/signal.ts'
import { ApiError, ERRORS, fault, type ErrorCode } from '#contract/errors.ts'
import { toIsoInstant } from '../http/presentation.ts'
import type { RejectedAnswer } from '#contract/signal/answers.ts'
import type { SignalSummary, Member, Outcome } from '../intake/request.ts'
import {
  isDoneWithout,
  isReplaced,
  presentSignal,
  presentSignalSummary,
  rejectionOf,
  whatHappensNext,
} from '../signal/present.ts'
import type {
  CreatedGroupAnswer,
  GroupAnswer,
  GroupDetailAnswer,
  StoppedGroupAnswer,
} from '#contract/group/shapes.ts'

export function summaryOf(request: SignalRequest): string {
  const { symbol, action, targetPosition, move } = request
  if (targetPosition !== null) return `hold ${figure(targetPosition)} ${symbol}`
  if (move === null) return `${action} ${sizeOf(request)} ${symbol}`
  return move.kind === 'close' ? `close ${symbol}` : `${move.direction} ${sizeOf(request)} ${symbol}`
}

const sizeOf = ({ quantity, quantityType }: SignalRequest): string => {
  if (quantityType === 'percentEquity') return `${figure(quantity)} % in`
  return sizeBefore({ quantity, quantityType })
}

type Line = CreatedGroupAnswer['signals'][number]

/** Answers the first error where no account takes its signal; throws it where nothing is stored. */
export function presentCreatedGroup(
  { outcome, groupId, members }: Outcome,
  requestId: string,
): { status: number; body: CreatedGroupAnswer | RejectedAnswer } {
  const came = members.flatMap((member) => (member.outcome === 'refused' ? [] : [member]))
  const signals = came.map(({ signal }): SignalSummary => signal)
  const [first] = signals
  if (first === undefined) throw refusalOfAll(members)
  const standing = outcome === 'new' ? signals.filter((signal) => !cameToNothing(signal)) : signals
  if (standing.length === 0) {
    const details = signals.flatMap((signal) => rejectionOf(signal).details)
    return { status: 400, body: { success: false, ...rejectionOf(first), details, requestId } }
  }
  const advisories = came.flatMap((member) => [...member.signal.advisories, ...member.advisories])
  return {
    status: outcome === 'existing' ? 200 : statusOf(standing.map(({ status }) => status)),
    body: {
      success: true,
      message: messageOf(outcome, standing.length, members.length),
      signal: presentSignalSummary(first),
      groupId,
      signals: members.map(presentLine),
      ...(advisories.length > 0 && { advisories: uniqueOf(advisories) }),
      requestId,
    },
  }
}

const cameToNothing = (signal: SignalSummary): boolean =>
  isFailed(signal.status) && !isReplaced(signal) && !isDoneWithout(signal)

const statusOf = (statuses: readonly SignalStatus[]): number =>
  statuses.some((status) => status === 'queued' || status === 'transmitted' || status === 'scheduled')
    ? 202
    : 201

function messageOf(outcome: Outcome['outcome'], standing: number, accounts: number): string {
  const among = standing === accounts ? `${accounts} accounts` : `${standing} of ${accounts} accounts`
  return outcome === 'existing'
    ? `Signals exist already for ${among}: nothing was sent for this request`
    : `The signal is accepted for ${among}`
}

function presentLine(member: Member): Line {
  const { accountId } = member
  if (member.outcome === 'refused')
    return {
      accountId,
      id: null,
      status: null,
      executeMode: null,
      orderId: null,
      scheduledAt: null,
      ...member.refusal,
    }
  const { signal } = member
  const rejection = cameToNothing(signal) ? rejectionOf(signal) : null
  return {
    accountId,
    id: signal.id,
    status: signal.status,
    executeMode: signal.executeMode,
    orderId: signal.orderId ?? null,
    scheduledAt: toIsoInstant(signal.scheduledAt),
    code: rejection?.code ?? null,
    message: rejection?.error ?? whatHappensNext(signal),
  }
}

/** The accounts of a recorded group may be gone. */
function refusalOfAll(members: readonly Member[]): ApiError {
  const refusals = members.flatMap((member) => (member.outcome === 'refused' ? [member.refusal] : []))
  const [first] = refusals
  if (first === undefined || !isErrorCode(first.code)) return new ApiError('ACCOUNT_NOT_FOUND')
  return new ApiError(first.code, {
    message: first.message,
    details: refusals.map(({ code, message }, index) => fault(['accountIds', index], code, message)),
  })
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code)

const uniqueOf = (advisories: readonly Advisory[]): Advisory[] => [
  ...new Map(advisories.map((advisory) => [`${advisory.code} ${advisory.message}`, advisory])).values(),
]

export const presentGroup = ({ group, statuses }: ListedGroup): GroupAnswer => ({
  id: group.id,
  summary: group.summary,
  symbol: group.symbol,
  tokenId: group.tokenId ?? null,
  accounts: group.accounts,
  signals: statuses,
  refused: group.refusals.length,
  createdAt: toIsoInstant(group.createdAt),
})

export const presentGroupDetail = ({
  group,
  signals,
}: {
  group: SignalGroup
  signals: Signal[]
}): GroupDetailAnswer => {
  const statuses: ListedGroup['statuses'] = {}
  for (const { status } of signals) statuses[status] = (statuses[status] ?? 0) + 1
  return {
    group: presentGroup({ group, statuses }),
    signals: signals.map((signal) => presentSignal(signal)),
    refusals: group.refusals,
  }
}

export const presentStopped = (lines: readonly StoppedLine[]): StoppedGroupAnswer => ({
  results: lines.map(({ signal, outcome, problem, message }) => ({
    id: signal.id,
    accountId: signal.accountId,
    outcome,
    code: problem?.code ?? null,
    message,
    signal: presentSignal(signal),
  })),
})

/** asked: unconfirmed. over: it or its entry had ended. failed: not known to be received. */
export interface StoppedLine {
  signal: Signal
  outcome: 'withdrawn' | 'cancelled' | 'asked' | 'over' | 'failed'
  problem: ApiError | null
  message: string
}
