import type { Decision, ResolvedRequest } from '#test/chaos/wishes.ts'
import type { TradeRequest } from '#test/support/evidence.ts'

const AT_ONCE = { exitTriggerType: 'immediate' }
export const IMMEDIATE = { executeMode: 'immediate', ...AT_ONCE }
export const PENDING = { executeMode: 'pending', ...AT_ONCE }
/** Below the market, where it rests. */
export const RESTING = { ...IMMEDIATE, orderType: 'limit', limitPrice: 95, timeInForce: 'gtc' }
/** The prices between which it is moved. */
export const MARKET = { restsAt: 100, fillsAt: 94 }

/** A wish for ten shares, long unless told otherwise. */
export function plan(
  symbol: string,
  accountId: string,
  fields: {
    executeMode: string
    action?: TradeRequest['action']
    exitTriggerType?: string
    [field: string]: unknown
  },
  { key = symbol, ...course }: Partial<ResolvedRequest> & { key?: string } = {},
): ResolvedRequest {
  const action = fields.action ?? 'openLong'
  const wish: TradeRequest = {
    key,
    symbol,
    action,
    quantity: '10',
    wantsExit: fields.exitTriggerType !== undefined || fields['protection'] !== undefined,
    notBefore: null,
    sendBefore: null,
    exitNotBefore: null,
    exitAfterMs: 0,
  }
  const body = { symbol, action, accountId, quantity: 10, sourceId: key, ...fields }
  return { wish, body, timing: {}, market: null, sequel: null, ...course }
}

/** Somebody decides on it. */
export const decided = (decision: Decision, afterMs = 400): Partial<ResolvedRequest> => ({
  sequel: { kind: 'decide', afterMs, decisions: [decision] },
})

/** Somebody changes its levels, when their order is at the broker. */
export const changedTo = (protection: object): Partial<ResolvedRequest> => ({
  sequel: { kind: 'change the plan', afterMs: 4_000, protection },
})

/** A newer one with its sourceId replaces it. */
export const replacedBy = (symbol: string, accountId: string): Partial<ResolvedRequest> => ({
  sequel: {
    kind: 'replace',
    // The older one is where it is to be found by then, however much else is going on.
    afterMs: 5_000,
    body: { ...plan(symbol, accountId, IMMEDIATE).body, replaceExisting: true },
  },
})
