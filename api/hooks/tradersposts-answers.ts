import type { HookOutcome } from '#domain/hook/outcome.ts'

/** 200 `{success, id, logId, payload}`, 400 `{success, logId, messageCode, message}`. */
export function tradersPostAnswer(outcome: HookOutcome, isRefused: boolean): object {
  const { requestId, groupId, message, code, faults, advisories, signals } = outcome
  if (!isRefused) {
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

type FaultOfMessage = HookOutcome['faults'][number]

function messageCodeOf({ code, path }: FaultOfMessage): string {
  const field = String(path[0] ?? '')
  if (code === 'invalid_json') return 'malformed-json'
  if (code === 'required' && (field === 'ticker' || field === 'action')) return 'invalid-payload'
  if (field === 'ticker' && code === 'no_value') return 'empty-ticker-name'
  if (field === 'ticker') return code === 'not_a_share' ? 'invalid-asset-class' : 'invalid-ticker'
  if (field === 'sentiment' && code === 'not_allowed') return 'invalid-sentiment-action'
  return field === '' ? 'invalid-payload' : `invalid-${dashed(field)}`
}

/** `quantityType` and `INSUFFICIENT_FUNDS` as TradersPost writes codes. */
const dashed = (name: string): string =>
  (name === name.toUpperCase() ? name : name.replaceAll(/[A-Z]/g, (letter) => `-${letter}`))
    .toLowerCase()
    .replaceAll('_', '-')
