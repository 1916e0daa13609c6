import { multiply, type Decimal } from '#domain/decimal.ts'
import { entryOrder } from '#domain/entry-order.ts'
import { priceOf } from '#domain/risk.ts'
import type { Signal } from '#db/entities/index.ts'
import { usesDemo } from '../access/account-denial.ts'
import { isOwnOf, requireWithinBounds, type BoundsPolicy } from '../access/token-bounds.ts'
import type { Principal } from '../http/principal.ts'
import { surelyOpens } from './opens.ts'
import type { SignalRequest } from '#contract/signals/schema.ts'

export const JUDGED: BoundsPolicy = {
  pendingOnly: 'judged',
  accountIds: 'judged',
  symbols: 'judged',
  maxOrderValue: 'judged',
  ownSignalsOnly: 'judged',
  demoOnly: 'judged',
}

/**
 * Before anything is looked up. A value that does not follow from the request is held to the bound right before the order is sent.
 * What surely opens a position is taken on an account of the trading mode alone, so that it is known whether that is a demo
 * account. Throws TOKEN_BOUNDS_EXCEEDED.
 */
export function requireSignalWithinBounds(principal: Principal, request: SignalRequest): void {
  const { accountId, symbol, executeMode } = request
  const awaitsApproval = executeMode === 'pending'
  const value = valueOf(request)
  requireWithinBounds(principal, {
    accountId,
    ...(surelyOpens(request) && {
      opening: { symbol, awaitsApproval, value, isDemo: usesDemo(principal.tradingMode) },
    }),
  })
}

export const requireChangeWithinBounds = (principal: Principal, { accountId, tokenId }: Signal): void =>
  requireWithinBounds(principal, { accountId, isOwn: isOwnOf(principal, tokenId) })

/** Without an exit nobody closes the position: a token takes away only exits of its own signals. Throws TOKEN_BOUNDS_EXCEEDED. */
export const requireExitWithinBounds = (principal: Principal, signal: Signal): void =>
  requireChangeWithinBounds({ ...principal, bounds: { ...principal.bounds, ownSignalsOnly: true } }, signal)

/** Dollars; null where it is not known before the order is sent. */
function valueOf(request: SignalRequest): Decimal | null {
  const { quantity, quantityType } = request
  if (quantityType === 'dollarAmount') return quantity
  if (quantityType !== 'fixed') return null
  const price = priceOf(entryOrder(request, quantity), null)
  return price === null ? null : multiply(quantity, price)
}
