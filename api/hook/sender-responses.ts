import type { HookKind } from '#domain/hook/settings.ts'
import type { HookOutcome } from '#domain/hook/outcome.ts'

export interface Answer {
  status: number
  body: object
}

/** No sender repeats a request after 400. */
const isRefused = ({ outcome }: HookOutcome): boolean => outcome === 'refused' || outcome === 'late'

export function answerOf(kind: HookKind, outcome: HookOutcome): Answer {
  const body = (ANSWER_SHAPES[kind] ?? ownShape)(outcome)
  return { status: isRefused(outcome) ? 400 : 200, body }
}

const ANSWER_SHAPES: Partial<Record<HookKind, (outcome: HookOutcome) => object>> = {
  traderspost: tradersPostAnswer,
  'trade-relay': tradeRelayAnswer,
  openalgo: openAlgoAnswer,
}

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

function tradersPostAnswer(outcome: HookOutcome): object {
  const { requestId, groupId, message, code, faults, advisories, signals } = outcome
  if (!isRefused(outcome)) {
    return {
      success: true,
      id: groupId ?? requestId,
      logId: requestId,
      payload: { outcome: outcome.outcome, message, signals, ...(advisories.length > 0 && { advisories }) },
    }
  }
  const [fault] = faults
  return {
    success: false,
    logId: requestId,
    messageCode: fault === undefined ? dashed(code ?? 'refused') : messageCodeOf(fault),
    message,
  }
}

function messageCodeOf({ code, path }: HookOutcome['faults'][number]): string {
  const field = String(path[0] ?? '')
  if (code === 'invalid_json') return 'malformed-json'
  if (code === 'required' && (field === 'ticker' || field === 'action')) return 'invalid-payload'
  if (field === 'ticker' && code === 'no_value') return 'empty-ticker-name'
  if (field === 'ticker') return code === 'not_a_share' ? 'invalid-asset-class' : 'invalid-ticker'
  if (field === 'sentiment' && code === 'not_allowed') return 'invalid-sentiment-action'
  return field === '' ? 'invalid-payload' : `invalid-${dashed(field)}`
}

const dashed = (name: string): string =>
  (name === name.toUpperCase() ? name : name.replaceAll(/[A-Z]/g, (letter) => `-${letter}`))
    .toLowerCase()
    .replaceAll('_', '-')
