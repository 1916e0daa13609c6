import type { Decimal } from '../money/decimal.ts'
import type { OrderRole, OrderTerms, TimeInForce } from '../order/order.ts'
import { ORIGINS, type Ask, type Origin } from './origin.ts'
import type { Action, SignalTerms } from './signal.ts'

interface OriginRules {
  /** Listed by `GET /signals` by default. */
  isListed: boolean
  /** A person waits for the answer: the order waits for no earlier signal, approval or stop. */
  isByHand: boolean
  /** A token's scope, also needed when the order is sent. */
  scope: 'signals:write' | 'orders:write'
}

const SENT: OriginRules = { isListed: true, isByHand: false, scope: 'signals:write' }
const BY_HAND: OriginRules = { isListed: false, isByHand: true, scope: 'orders:write' }

export const ORIGIN_RULES: Readonly<Record<Origin, OriginRules>> = {
  sender: SENT,
  hook: SENT,
  person: BY_HAND,
  close: BY_HAND,
  flatten: BY_HAND,
  adopted: { isListed: false, isByHand: false, scope: 'orders:write' },
}

export const LISTED_ORIGINS = ORIGINS.filter((origin) => ORIGIN_RULES[origin].isListed)

/** Only signals have gtd. */
export const TIMES_IN_FORCE_BY_HAND = [
  'day',
  'gtc',
  'opg',
  'cls',
  'ioc',
  'fok',
] as const satisfies readonly TimeInForce[]

export type ByHandTerms = SignalTerms & { ask: Ask; sendBefore: string }

export const isByHand = (terms: SignalTerms): terms is ByHandTerms => ORIGIN_RULES[terms.origin].isByHand

export function actionOfAsk({ side, reducesOnly }: Ask, held: 'LONG' | 'SHORT' | null): Action {
  if (side === 'BUY') return held === 'SHORT' || reducesOnly ? 'closeShort' : 'openLong'
  return held === 'LONG' || reducesOnly ? 'closeLong' : 'openShort'
}

export interface OrderRequestByHand extends OrderTerms, Ask {
  accountId: string
  quantity: Decimal
}

export const termsByHand = (
  { side, reducesOnly, owners, ...order }: OrderRequestByHand,
  how: Pick<ByHandTerms, 'signalId' | 'userId' | 'origin' | 'acceptedAt' | 'sendBefore'>,
): ByHandTerms => {
  const ask = { side, reducesOnly, ...(owners && { owners }) }
  return {
    ...order,
    ...how,
    ask,
    action: actionOfAsk(ask, null),
    quantityType: 'fixed',
    executeMode: 'immediate',
    strategyId: null,
    expiresAt: null,
    scheduledAt: null,
    validUntil: null,
    exit: null,
  }
}

/** The ledger has a person's order from the request on. */
export type LedgerRole = OrderRole | 'manual'
