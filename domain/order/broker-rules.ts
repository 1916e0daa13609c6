import { compare, decimalPlaces, type Decimal, figure } from '../money/decimal.ts'
import { isAlwaysADayLate } from '../exit/schedule.ts'
import type { ExitRule } from '../exit/exit.ts'
import type { OrderRequest, TimeInForce } from './order.ts'
import { AUCTION_CUT_OFF_MS, type TradingSession } from '../time/session.ts'
import { instantToLocal, localToInstant } from '../time/wall-time.ts'

/** Alpaca's classes of shares and exchange-traded funds. */
const SHARES: ReadonlySet<string> = new Set(['us_equity'])

const CLASSES_IN_WORDS: Readonly<Record<string, string>> = {
  crypto: 'a coin',
  crypto_perp: 'a future on a coin',
  us_option: 'an option',
}

const SPELLED_AS_SHARE = /^[A-Z]{1,5}(?:\.(?!USD|EUR)[A-Z]{1,3}|-[A-Z]{1,2})?$/

/** Only shares are opened: no exit works for a coin. `assetClass`: null if unknown. */
export function classFault(symbol: string, assetClass: string | null): string | null {
  if (assetClass === null)
    return SPELLED_AS_SHARE.test(symbol)
      ? null
      : `Durable Trader trades shares and ETFs, and ${symbol} is not spelled like one`
  if (SHARES.has(assetClass)) return null
  return `Durable Trader trades shares and ETFs, and ${symbol} is ${CLASSES_IN_WORDS[assetClass] ?? `of the class ${assetClass}`}`
}

// Known faults: Alpaca's rules, auctions (market and limit orders only), SEC rule 612.

type FormedOrder = Pick<
  OrderRequest,
  'orderType' | 'limitPrice' | 'stopPrice' | 'timeInForce' | 'extendedHours'
>

const AUCTIONS: readonly TimeInForce[] = ['opg', 'cls']

export const FRACTION_PLACES = 9

/** Faults regardless of account, symbol and time. */
export function formFault({
  orderType,
  limitPrice,
  stopPrice,
  timeInForce,
  extendedHours,
}: FormedOrder): string | null {
  if (extendedHours && (orderType !== 'limit' || (timeInForce !== 'day' && timeInForce !== 'gtc')))
    return 'Only limit orders that are day or gtc trade in extended hours'
  if (AUCTIONS.includes(timeInForce) && orderType !== 'market' && orderType !== 'limit')
    return `An auction (${timeInForce}) takes market and limit orders only`
  return subPenny('limit price', limitPrice) ?? subPenny('stop price', stopPrice)
}

/** Later auction orders are for the next session. */
const AUCTIONS_AGAIN_AT = '19:00'
/** Milliseconds: a longer open market has no auctions. */
const LONGEST_SESSION = 6.5 * 3_600_000

/** `sessions` from the day before on; empty if unknown. */
export function auctionFault(
  { timeInForce }: Pick<OrderRequest, 'timeInForce'>,
  at: number,
  sessions: readonly TradingSession[],
  zone: string,
): string | null {
  if (timeInForce !== 'opg' && timeInForce !== 'cls') return null
  const { date } = instantToLocal(new Date(at).toISOString(), zone)
  const today = sessions.find((session) => session.date === date)
  if (today === undefined) return null
  const [opensAt, closesAt] = [Date.parse(today.opensAt), Date.parse(today.closesAt)]
  if (closesAt - opensAt > LONGEST_SESSION) return null
  const cutOff = (timeInForce === 'opg' ? opensAt : closesAt) - AUCTION_CUT_OFF_MS[timeInForce]
  if (at < cutOff || at >= Date.parse(localToInstant(`${date}T${AUCTIONS_AGAIN_AT}`, zone))) return null
  const { time } = instantToLocal(new Date(cutOff).toISOString(), zone)
  const auction = timeInForce === 'opg' ? 'opening' : 'closing'
  return `The ${auction} auction (${timeInForce}) takes no orders from ${time.slice(0, 5)} to ${AUCTIONS_AGAIN_AT} (${zone})`
}

/** Never possible, or never on its day. `sessions` are empty if unknown. */
export function exitFault(
  rule: ExitRule,
  sessions: readonly TradingSession[],
  zone: string | null,
): string | null {
  const orderType = rule.orderType === 'moc' ? 'market' : rule.orderType
  const { limitPrice, stopPrice, timeInForce } = rule
  const fault = formFault({ orderType, limitPrice, stopPrice, timeInForce, extendedHours: false })
  if (fault !== null) return `The exit cannot be placed: ${lowerFirst(fault)}`
  return isAlwaysADayLate(rule, sessions, zone)
    ? 'The exit would always be placed a day late: at that time the closing auction takes no orders any more'
    : null
}

export function positionFault(
  { symbol, side }: Pick<OrderRequest, 'symbol' | 'side'>,
  position: { side: 'LONG' | 'SHORT'; quantity: Decimal } | null,
): string | null {
  const against = side === 'BUY' ? 'SHORT' : side === 'SELL_SHORT' ? 'LONG' : null
  if (position === null || position.side !== against) return null
  const close = against === 'LONG' ? 'closeLong' : 'closeShort'
  return `${against} ${figure(position.quantity)} ${symbol} are held: a position of the other side is opened after ${close}`
}

/** Prices from a dollar on are in cents, below in hundredths of a cent. */
function subPenny(name: string, price: Decimal | null): string | null {
  if (price === null) return null
  const places = compare(price, '1') >= 0 ? 2 : 4
  return decimalPlaces(price) <= places
    ? null
    : `The ${name} ${figure(price)} has more than ${places} decimal places`
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
