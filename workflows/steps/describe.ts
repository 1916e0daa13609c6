import { TRIGGER } from '#domain/exit/exit.ts'
import { figure } from '#domain/money/decimal.ts'
import { isByHand } from '#domain/signal/by-hand.ts'
import { moveInWords, sizeBefore } from '#domain/signal/moves.ts'
import { pricedInWords } from '#domain/order/price-words.ts'
import { SIDE_VERBS, type OrderTerms } from '#domain/order/order.ts'
import { ENTRY_SIDE, type SignalTerms } from '#domain/signal/signal.ts'

/** Entry in words, such as "Target -10 AAPL at market". */
export const describeEntry = (terms: SignalTerms): string =>
  `${whatOf(terms)} ${describeTerms(terms)}${terms.ask?.reducesOnly ? ', to close' : ''}`

function whatOf(terms: SignalTerms): string {
  const { symbol, target } = terms
  if (isByHand(terms))
    return `${terms.ask.side === 'BUY' ? 'Buy' : 'Sell'} ${figure(terms.quantity)} ${symbol}`
  if (target === undefined) return `${SIDE_VERBS[ENTRY_SIDE[terms.action]]} ${sizeBefore(terms)} ${symbol}`
  return target.move === undefined
    ? `Target ${figure(target.position)} ${symbol}`
    : moveInWords(symbol, target.move)
}

function describeTerms(
  terms: Pick<OrderTerms, 'orderType' | 'limitPrice' | 'stopPrice' | 'timeInForce'>,
): string {
  const tif = terms.timeInForce === 'day' ? '' : ` (${terms.timeInForce})`
  return `${pricedInWords(terms)}${tif}`
}

export function describeExit(terms: SignalTerms): string | null {
  const rule = terms.exit
  if (!rule) return null
  const { orderType } = rule
  const how = orderType === 'moc' ? 'in the closing auction' : pricedInWords({ ...rule, orderType })
  return `exit ${how} ${TRIGGER[rule.trigger].when(rule)}`
}
