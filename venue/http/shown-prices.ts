import { reject } from '../rejection.ts'
import { instantText } from '../wire/order.ts'
import type { VenueParts } from './context.ts'

/** The last trade of a symbol as the venue shows it to an account, which may be an old one when the fault script says so. */
export function shownTrade(
  { market, faults }: Pick<VenueParts, 'market' | 'faults'>,
  account: string,
  symbol: string,
  at: number,
): { t: string; p: number } {
  const rule = faults.drawConduct(['old'], { account, symbol, clientOrderId: null })
  const tradedAt = rule ? at - rule.agoMs : at
  return { t: instantText(tradedAt), p: rule?.price ?? Number(market.quote(symbol, tradedAt).last) }
}

/** Throws the refusal of an account without prices, when the fault script says so. */
export function requirePrices(
  { faults }: Pick<VenueParts, 'faults'>,
  account: string,
  symbol: string | null,
): void {
  if (faults.drawConduct(['forbidden'], { account, symbol, clientOrderId: null }))
    throw reject.withoutPrices()
}
