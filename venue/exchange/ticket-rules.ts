import { compare, decimalPlaces, type Decimal } from '#domain/money/decimal.ts'
import type { VenueOrder } from '../ledger/orders.ts'
import { reject } from '../rejection.ts'

export type OrderTicket = Pick<
  VenueOrder,
  | 'symbol'
  | 'side'
  | 'type'
  | 'timeInForce'
  | 'qty'
  | 'notional'
  | 'limitPrice'
  | 'stopPrice'
  | 'trailPrice'
  | 'trailPercent'
  | 'extendedHours'
  | 'orderClass'
> & {
  /** Dollars a share; for an oco its own limit. */
  takeProfit: Decimal | null
  stopLoss: { stopPrice: Decimal; limitPrice: Decimal | null } | null
  clientOrderId: string | null
  positionIntent: VenueOrder['positionIntent'] | null
}

const RESTING_TIMES_IN_FORCE = ['day', 'gtc']
const AUCTION_TIMES_IN_FORCE = ['opg', 'cls']

type Priced = Pick<VenueOrder, 'type' | 'limitPrice' | 'stopPrice' | 'trailPrice' | 'trailPercent'>

/** Throws a Rejection unless the type has these prices. */
export function checkPrices({ type, limitPrice, stopPrice, trailPrice, trailPercent }: Priced): void {
  const needsLimit = type === 'limit' || type === 'stop_limit'
  const needsStop = type === 'stop' || type === 'stop_limit'
  if (needsLimit && limitPrice === null) throw reject.invalidParameter(`${type} orders require limit price`)
  if (needsStop && stopPrice === null) throw reject.invalidParameter(`${type} orders require stop price`)
  if (!needsLimit && limitPrice !== null)
    throw reject.invalidParameter(`${type} orders require no limit price`)
  if (!needsStop && stopPrice !== null) throw reject.invalidParameter(`${type} orders require no stop price`)
  checkTrail({ type, trailPrice, trailPercent })
  checkIncrement('limit_price', limitPrice)
  checkIncrement('stop_price', stopPrice)
}

function checkTrail({ type, trailPrice, trailPercent }: Omit<Priced, 'limitPrice' | 'stopPrice'>): void {
  const trails = [trailPrice, trailPercent].filter((trail) => trail !== null).length
  if (type !== 'trailing_stop') {
    if (trails > 0) throw reject.invalidParameter(`${type} orders require no trail price`)
    return
  }
  if (trails === 0) throw reject.invalidParameter('trailing_stop orders require trail_price or trail_percent')
  if (trails > 1) throw reject.invalidParameter('only one of trail_price or trail_percent is accepted')
  if (trailPercent !== null && compare(trailPercent, '100') >= 0)
    throw reject.unprocessable('trail_percent must be < 100')
  checkIncrement('trail_price', trailPrice)
}

/** Requires cents from a dollar on, below it hundredths of a cent (Rule 612 of Regulation NMS). */
export function checkIncrement(name: string, price: Decimal | null): void {
  if (price === null) return
  const places = compare(price, '1') >= 0 ? 2 : 4
  if (decimalPlaces(price) <= places) return
  throw reject.unprocessable(
    `invalid ${name} ${price}. sub-penny increment does not fulfill minimum pricing criteria`,
  )
}

/** Throws a Rejection. */
export function checkTimeInForce({
  type,
  timeInForce,
  extendedHours,
  qty,
  notional,
}: Pick<VenueOrder, 'type' | 'timeInForce' | 'extendedHours' | 'qty' | 'notional'>): void {
  if (extendedHours && (type !== 'limit' || !RESTING_TIMES_IN_FORCE.includes(timeInForce))) {
    throw reject.unprocessable('extended hours order must be DAY or GTC limit orders')
  }
  if (AUCTION_TIMES_IN_FORCE.includes(timeInForce) && type !== 'market' && type !== 'limit') {
    throw reject.unprocessable(`${timeInForce} orders must be market or limit orders`)
  }
  if (type === 'trailing_stop' && !RESTING_TIMES_IN_FORCE.includes(timeInForce)) {
    throw reject.unprocessable('trailing_stop orders must be DAY or GTC orders')
  }
  if (!isFractional({ qty, notional })) return
  if (type === 'trailing_stop')
    throw reject.unprocessable('fractional orders must be market, limit, stop or stop_limit orders')
  if (timeInForce !== 'day') throw reject.unprocessable('fractional orders must be DAY orders')
}

export const isFractional = ({ qty, notional }: Pick<VenueOrder, 'qty' | 'notional'>): boolean =>
  notional !== null || (qty !== null && decimalPlaces(qty) > 0)
