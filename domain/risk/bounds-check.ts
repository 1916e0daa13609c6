import { exceededBounds, type TokenBounds } from './token-bounds.ts'
import { type Decimal, multiply } from '../money/decimal.ts'
import { priceOf, type RiskOrder, type Verdict } from './risk.ts'
import { isOpening, type SignalTerms } from '../signal/signal.ts'

export function boundsVerdict(
  { action, accountId }: Pick<SignalTerms, 'action' | 'accountId'>,
  order: RiskOrder,
  { bounds, accountIsDemo: isDemo }: { bounds: TokenBounds; accountIsDemo: boolean },
  lastPrice: Decimal | null,
): Verdict<'tokenBounds'> {
  const rule = 'tokenBounds'
  if (!isOpening(action))
    return { rule, outcome: 'skipped', message: 'Bounds of a token are about what opens a position' }
  const price = priceOf(order, lastPrice)
  const value = price === null ? null : multiply(order.quantity, price)
  const opening = { symbol: order.symbol, awaitsApproval: false, value, isDemo }
  const exceeded = exceededBounds(bounds, { accountId, opening })
  if (exceeded.length > 0) {
    const message = exceeded.map((one) => one.message).join('. ')
    return { rule, outcome: 'denied', code: 'TOKEN_BOUNDS_EXCEEDED', message }
  }
  if (bounds.maxOrderValue !== undefined && value === null) {
    const message = `No last price of ${order.symbol} is known to hold the order to the largest value of its token`
    return { rule, outcome: 'denied', code: 'PRICE_UNKNOWN', message }
  }
  return { rule, outcome: 'passed', message: 'No bound of an access token is exceeded' }
}
