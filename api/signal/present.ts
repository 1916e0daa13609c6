import { continuationOf } from '#db/signal/reversal.ts'
import { HELD_FOR_APPROVAL } from '#domain/signal/advisory.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Signal, SignalEvent } from '#db/entities/index.ts'
import { findResults, type SignalResult } from '#db/signal/story.ts'
import type { SignalInstants } from '#db/signal/timing.ts'
import { compare, isPositive } from '#domain/money/decimal.ts'
import type { ExitRule } from '#domain/exit/exit.ts'
import { isFailed, positionWanted, workflowIdFor, goesAcross } from '#domain/signal/signal.ts'
import { moveInWords } from '#domain/signal/moves.ts'
import { AT_TARGET, TARGET_SUPERSEDED } from '#domain/signal/target.ts'
import { toIsoInstant, toJsonNumber, presentWorkflow, presentAs } from '../http/presentation.ts'
import {
  signalAnswer,
  type CreatedAnswer,
  type Rejection,
  type RejectedAnswer,
  type SignalAnswer,
  type SignalDetailAnswer,
  type SignalEventAnswer,
  type SignalSourceAnswer,
} from '#contract/signal/answers.ts'
import type { Existing, SignalSummary, Accepted } from '../intake/request.ts'
import { alreadyThere } from './new-signal.ts'
import { presentProtection, readLevels, type LevelsBySignal } from '../exit/present.ts'
import { PHASE_SPANS, SIGNAL_INSTANTS, tookMs } from '#domain/signal/timing.ts'
import { SIGNAL_PHASES, type SignalTimingAnswer } from '#contract/signal/timing.ts'

/** A superseded signal is no error: a retry would replace the newer one. */
export function presentCreated(
  answer: Accepted | Existing,
  requestId: string,
): { status: number; body: CreatedAnswer | RejectedAnswer } {
  const { outcome, signal } = answer
  if (outcome === 'new' && isFailed(signal.status) && !isReplaced(signal) && !isDoneWithout(signal))
    return { status: 400, body: { success: false, ...rejectionOf(signal), requestId } }
  const advisories = answer.advisories.length > 0 && { advisories: answer.advisories }
  return {
    status: statusOf(answer),
    body: {
      success: true,
      message: messageOf(answer),
      signal: presentSignalSummary(signal),
      ...advisories,
      requestId,
    },
  }
}

export const isReplaced = ({ statusReason }: Pick<SignalSummary, 'statusReason'>): boolean =>
  statusReason === 'SUPERSEDED'

/** Its target needs no trade. */
export const isDoneWithout = ({ statusReason }: Pick<SignalSummary, 'statusReason'>): boolean =>
  statusReason === AT_TARGET || statusReason === TARGET_SUPERSEDED

function statusOf({ outcome, signal }: Accepted | Existing): number {
  if (outcome === 'existing' || isDoneWithout(signal)) return 200
  if (outcome === 'undecided') return 202
  return signal.status === 'executed' || signal.status === 'pending' || isReplaced(signal) ? 201 : 202
}

function messageOf(answer: Accepted | Existing): string {
  if (answer.outcome === 'existing') return alreadyThere(answer)
  const { outcome, signal, replaced } = answer
  if (outcome === 'undecided')
    return `The signal with sourceId ${JSON.stringify(signal.sourceId)} is being replaced by this one, and has not answered yet: look this one up before you send anything else`
  return replaced === null
    ? whatHappensNext(signal)
    : `It takes the place of signal ${replaced}. ${whatHappensNext(signal)}`
}

export function rejectionOf(signal: SignalSummary): Rejection {
  const code = signal.statusReason ?? `SIGNAL_${signal.status.toUpperCase()}`
  const error = signal.statusDetail ?? `The signal ended as ${signal.status}`
  return { error, code, details: [{ code, message: error, signalId: signal.id, status: signal.status }] }
}

export const presentSignalSummary = (signal: SignalSummary): CreatedAnswer['signal'] => ({
  id: signal.id,
  status: signal.status,
  executeMode: signal.executeMode,
  ...(signal.orderId && { orderId: signal.orderId }),
  ...(signal.scheduledAt && { scheduledAt: toIsoInstant(signal.scheduledAt) }),
})

export function whatHappensNext(signal: SignalSummary): string {
  const { status, scheduledAt, validUntil, sendBefore } = signal
  if (isDoneWithout(signal) && signal.statusDetail != null) return signal.statusDetail
  if (isReplaced(signal)) return `The signal was accepted, and has ended: ${signal.statusDetail}`
  if (status === 'executed') return 'The broker accepted the order'
  if (status === 'transmitted')
    return "The order was sent and the broker's answer is unknown: the order is being looked up"
  if (status === 'scheduled')
    return `The signal is stored and its order is sent at ${toIsoInstant(scheduledAt)}`
  if (status === 'pending') {
    const held = signal.advisories.find(({ code }) => code === HELD_FOR_APPROVAL)
    const why = held === undefined ? '' : `. ${held.message}`
    return `The signal is stored and needs approval${untilOf(validUntil)}${why}`
  }
  return `The signal is stored and its order is sent as soon as possible${untilOf(sendBefore)}`
}

const untilOf = (limit: Date | null | undefined): string =>
  limit == null ? '' : `, but not after ${toIsoInstant(limit)}`

interface Outcomes {
  plans: LevelsBySignal
  results?: ReadonlyMap<string, SignalResult>
}

export const readOutcomes = async (
  em: EntityManager,
  userId: string,
  signals: readonly Signal[],
): Promise<Outcomes> => ({
  plans: await readLevels(em, userId, signals),
  results: await findResults(
    em,
    userId,
    signals.filter(({ filledQuantity }) => isPositive(filledQuantity)).map(({ id }) => id),
  ),
})

export const presentSignal = (signal: Signal, { plans, results }: Partial<Outcomes> = {}): SignalAnswer =>
  presentAs(signalAnswer, signal, {
    exitRule: signal.exitRule ? presentExitRule(signal.exitRule) : null,
    targetPosition: toJsonNumber(positionWanted(signal)),
    wish: signal.target?.move ? moveInWords(signal.symbol, signal.target.move) : null,
    targetAt: signal.target?.at ?? null,
    continuedBy:
      signal.orderId && goesAcross({ action: signal.action, target: signal.target ?? null })
        ? continuationOf(signal.id)
        : null,
    exit: presentExit(signal),
    protection: signal.protection ? presentProtection(signal.protection) : null,
    ...(plans && { plan: plans.get(signal.id) ?? null }),
    ...(results && { closed: presentClosed(signal, results.get(signal.id)) }),
    approvalRefused: presentRefusedApproval(signal),
    createdAt: toIsoInstant(signal.acceptedAt),
  })

export const presentListed = ({ signal, outcomes }: { signal: Signal; outcomes: Outcomes }): SignalAnswer =>
  presentSignal(signal, outcomes)

export const presentSignalDetail = (
  signal: Signal,
  instants: SignalInstants,
  result: SignalResult,
  temporalUi: string | null,
  plans: LevelsBySignal,
): SignalDetailAnswer => ({
  ...presentSignal(signal, { plans, results: new Map([[signal.id, result]]) }),
  workflow: presentWorkflow(workflowIdFor(signal.id), temporalUi),
  timings: {
    receivedAt: toIsoInstant(signal.acceptedAt),
    checkedAt: toIsoInstant(instants.checkedAt),
    sentAt: toIsoInstant(instants.sentAt),
    acknowledgedAt: toIsoInstant(instants.acknowledgedAt),
    filledAt: toIsoInstant(instants.filledAt),
    exitDueAt: toIsoInstant(instants.exitDueAt),
    exitSentAt: toIsoInstant(instants.exitSentAt),
    exitFilledAt: toIsoInstant(instants.exitFilledAt),
  },
  result: {
    closedQuantity: toJsonNumber(result.closedQuantity),
    realisedPnl: toJsonNumber(result.realisedPnl),
    fees: toJsonNumber(result.fees),
    closes: result.closes.map((close) => ({
      ...close,
      quantity: toJsonNumber(close.quantity),
      price: toJsonNumber(close.price),
      realisedPnl: toJsonNumber(close.realisedPnl),
    })),
  },
})

function presentClosed(
  signal: Signal,
  result: SignalResult | undefined,
): NonNullable<SignalAnswer['closed']> | null {
  const last = result?.closes.at(-1)
  if (!result || !last || compare(result.closedQuantity, signal.filledQuantity) < 0) return null
  return { reason: last.reason, realisedPnl: toJsonNumber(result.realisedPnl) }
}

export const presentSource = (signal: Signal, body: string | null): SignalSourceAnswer => ({
  receivedAt: toIsoInstant(signal.acceptedAt),
  body,
})

function presentRefusedApproval({ approvalRefused }: Signal): SignalAnswer['approvalRefused'] {
  if (!approvalRefused) return null
  const { code, message, at } = approvalRefused
  return { code, message, at: toIsoInstant(new Date(at)) }
}

type ExitRuleAnswer = NonNullable<SignalAnswer['exitRule']>

const presentExitRule = ({
  trigger,
  minutes,
  clockTime,
  limitPrice,
  stopPrice,
  ...same
}: ExitRule): ExitRuleAnswer => ({
  ...(same satisfies Pick<ExitRuleAnswer, keyof typeof same>),
  triggerType: trigger,
  triggerMinutes: minutes,
  triggerTime: clockTime,
  limitPrice: toJsonNumber(limitPrice),
  stopPrice: toJsonNumber(stopPrice),
})

/** Null without an exit. */
function presentExit(signal: Signal): SignalAnswer['exit'] {
  if (!signal.exitStatus && (!signal.exitRule || isFailed(signal.status))) return null
  return {
    status: signal.exitStatus ?? 'waiting',
    submitAt: toIsoInstant(signal.exitSubmitAt),
    orderId: signal.exitOrderId ?? null,
    reason: signal.exitReason ?? null,
  }
}

export const presentSignalEvent = (
  event: Pick<SignalEvent, 'kind' | 'at' | 'message' | 'data'>,
): SignalEventAnswer => ({
  kind: event.kind,
  at: toIsoInstant(event.at),
  message: event.message,
  data: event.data ?? null,
})

const UNTIMED = { received: 'receivedAt', exit_due: 'exitDueAt' } as const

export function presentTiming(
  { id, executeMode }: Pick<Signal, 'id' | 'executeMode'>,
  instants: SignalInstants,
): SignalTimingAnswer {
  const times = Object.fromEntries(SIGNAL_INSTANTS.map((name) => [name, instants[name]?.getTime() ?? null]))
  return {
    signalId: id,
    executeMode,
    startedAt: toIsoInstant(instants.startedAt),
    totalMs: tookMs('total', times),
    phases: SIGNAL_PHASES.map((phase) =>
      phase === 'received' || phase === 'exit_due'
        ? { phase, at: toIsoInstant(instants[UNTIMED[phase]]), tookMs: null }
        : { phase, at: toIsoInstant(instants[PHASE_SPANS[phase].until]), tookMs: tookMs(phase, times) },
    ),
  }
}
