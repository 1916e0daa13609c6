import type { HookOutcome } from '#domain/hook/outcome.ts'
import type { HookKind } from '#domain/hook/settings.ts'
import { tradersPostAnswer } from './tradersposts-answers.ts'

interface Answer {
  status: number
  body: object
}

/** No sender repeats a request that is answered 400. */
const isRefused = ({ outcome }: HookOutcome): boolean => outcome === 'refused' || outcome === 'late'

export function answerOf(kind: HookKind, outcome: HookOutcome): Answer {
  const body = (ANSWER_SHAPES[kind] ?? ownShape)(outcome)
  return { status: isRefused(outcome) ? 400 : 200, body }
}

const ANSWER_SHAPES: Partial<Record<HookKind, (outcome: HookOutcome) => object>> = {
  traderspost: (outcome) => tradersPostAnswer(outcome, isRefused(outcome)),
  'trade-relay': tradeRelayAnswer,
  openalgo: openAlgoAnswer,
}

/** The envelope of POST /api/v1/signals. */
function ownShape(outcome: HookOutcome): object {
  const { requestId, groupId, message, code, faults, signals, advisories } = outcome
  if (isRefused(outcome)) {
    const refused = signals.filter((signal) => signal.code !== null)
    return { success: false, error: message, code, details: [...faults, ...refused], requestId }
  }
  return {
    success: true,
    outcome: outcome.outcome,
    message,
    ...(groupId !== null && { groupId }),
    signals,
    ...(advisories.length > 0 && { advisories }),
    requestId,
  }
}

const TRADE_RELAY_STATUS = {
  accepted: 'executed',
  repeated: 'executed',
  nothing: 'noop',
  dry_run: 'noop',
  refused: 'rejected',
  late: 'rejected',
} as const satisfies Record<HookOutcome['outcome'], string>

function tradeRelayAnswer({ requestId, groupId, outcome, message, code, ...rest }: HookOutcome): object {
  const isUnread = outcome === 'refused' && rest.faults.length > 0
  return {
    id: groupId ?? requestId,
    status: isUnread ? 'parse_error' : TRADE_RELAY_STATUS[outcome],
    ...(TRADE_RELAY_STATUS[outcome] === 'rejected' && !isUnread && { rejectedBy: code }),
    message,
    ...rest,
    requestId,
  }
}

function openAlgoAnswer(outcome: HookOutcome): object {
  const { requestId, groupId, message, code, signals, advisories } = outcome
  if (isRefused(outcome)) return { status: 'error', message, code, requestId }
  const order = signals.find(({ orderId }) => orderId !== null)?.orderId ?? groupId
  return {
    status: 'success',
    ...(order !== null && { orderid: order }),
    message,
    ...(advisories.length > 0 && { advisories }),
    requestId,
  }
}
