import {
  compare,
  type Decimal,
  add,
  decimalPlaces,
  divideDown,
  isPositive,
  isZero,
  multiply,
  larger,
  smaller,
  subtract,
  dollarAmount,
  figure,
  shareCount,
} from '../money/decimal.ts'
import { affordableShares, costOfShare, shortOfFunds, type OrderCosts } from './buying-power.ts'
import type { DenialCode } from './denial.ts'
import { likelyFill, sideOpenedBy } from './market-price.ts'
import { tickAt } from '../money/price-tick.ts'
import { riskAShare } from '../exit/protection.ts'
import { ENTRY_SIDE, isByEquity, isByRisk, isOpening, type SignalTerms } from '../signal/signal.ts'
import { FRACTION_PLACES } from '../order/broker-rules.ts'

export interface ExitSizeOverride {
  quantity: Decimal
  /** Shares that the owner saw; another position needs another choice. */
  shown: Decimal
  limitPrice: Decimal | null
  stopPrice: Decimal | null
  by: string
  at: string
}

export interface ExitSizeFacts {
  dueAt: string | null
  /** Executions explain a position only after they have been read completely. */
  isListed: boolean
  /** The owner's choice is newer than levels and prices. */
  isOfBefore: boolean
  choice: ExitSizeOverride | null
  soldSince: Decimal
  /** The lasting difference that reconciliation reported; negative when short. */
  told: { shown: Decimal; executed: Decimal } | null
}

export const unspent = ({ choice, soldSince }: ExitSizeFacts): ExitSizeOverride | null =>
  choice !== null && compare(choice.quantity, soldSince) > 0 ? choice : null

export interface SizingFacts {
  equity: Decimal
  lastPrice: Decimal | null
  buyAt: Decimal | null
  sellAt: Decimal | null
  buyingPower: Decimal | null
  orderCosts: OrderCosts
  /** Shares that no open order holds; "0" for opening actions. */
  closableQuantity: Decimal
  position: { side: 'LONG' | 'SHORT'; quantity: Decimal } | null
  fractionable: boolean
}

export type Sized =
  | { quantity: Decimal; advisories: { code: string; message: string }[] }
  | { denied: DenialCode; detail: string }

type Denied = Extract<Sized, { denied: unknown }>

type SizedTerms = Pick<
  SignalTerms,
  | 'action'
  | 'symbol'
  | 'quantity'
  | 'quantityType'
  | 'limitPrice'
  | 'stopPrice'
  | 'timeInForce'
  | 'exit'
  | 'protection'
>

/**
 * The quantity of an entry, computed right before its sending: prices and equity move between tries. A close never
 * reverses a position.
 */
export function sizeEntry(terms: SizedTerms, facts: SizingFacts): Sized {
  const wanted =
    terms.quantityType === 'percentPosition' ? partOfPosition(terms, facts) : wantedQuantity(terms, facts)
  if ('denied' in wanted) return wanted
  if (isOpening(terms.action)) return openingQuantity(terms, facts, wanted.quantity)

  if (!isPositive(facts.closableQuantity))
    return {
      denied: 'NO_POSITION_TO_CLOSE',
      detail: nothingToClose(terms, facts.position),
    }
  if (compare(wanted.quantity, facts.closableQuantity) <= 0)
    return { quantity: wanted.quantity, advisories: wanted.advisories ?? [] }
  return {
    quantity: smaller(wanted.quantity, facts.closableQuantity),
    advisories: [
      {
        code: 'quantity_reduced_to_position',
        message: `${shareCount(wanted.quantity)} requested, ${figure(facts.closableQuantity)} held; the order is for ${figure(facts.closableQuantity)}`,
      },
    ],
  }
}

function nothingToClose(
  { action, symbol }: Pick<SizedTerms, 'action' | 'symbol'>,
  position: SizingFacts['position'],
): string {
  const closes = action === 'closeLong' ? 'LONG' : 'SHORT'
  if (position === null || position.side === closes)
    return `No shares of ${symbol} are held that ${action} could close and no open order holds already`
  const words = closes === 'LONG' ? 'use closeShort to buy to cover' : 'use closeLong to sell'
  return `${figure(position.quantity)} ${symbol} are held ${position.side}: ${words}`
}

type Wanted = { quantity: Decimal; advisories?: { code: string; message: string }[] } | Denied

function wantedQuantity(terms: SizedTerms, facts: SizingFacts): Wanted {
  const whole = whyWholeShares(terms, facts)
  if (terms.quantityType === 'fixed') {
    if (whole === null || decimalPlaces(terms.quantity) === 0) return { quantity: terms.quantity }
    return { denied: 'INVALID_ORDER', detail: `${shareCount(terms.quantity)} cannot be ordered: ${whole}` }
  }
  const price = priceToSizeAt(terms, facts)
  if (price === null || !isPositive(price))
    return {
      denied: 'INVALID_ORDER',
      detail: `No price of ${terms.symbol} is known to work the quantity out from`,
    }
  const amount = isByEquity(terms.quantityType)
    ? multiply(multiply(facts.equity, terms.quantity), '0.01')
    : terms.quantity
  if (isByRisk(terms.quantityType)) return quantityAtRisk(terms, facts, amount, whole === null)
  const quantity = divideDown(amount, price, whole === null ? FRACTION_PLACES : 0)
  if (isZero(quantity) || !isPositive(quantity))
    return {
      denied: 'QUANTITY_ROUNDS_TO_ZERO',
      detail: `${dollarAmount(amount)} buys no ${whole === null ? 'part of a' : 'whole'} share of ${terms.symbol} at ${figure(price)}`,
    }
  return { quantity }
}

function quantityAtRisk(terms: SizedTerms, facts: SizingFacts, amount: Decimal, mayBePart: boolean): Wanted {
  const { symbol, action, protection } = terms
  // A better fill than the limit risks less.
  const price = terms.limitPrice ?? likelyFill(terms, facts)
  const position = price && { side: sideOpenedBy(action), average: price, fees: '0' as const }
  const risk = protection && position && riskAShare(protection, position)
  if (price === null || risk == null)
    return {
      denied: 'INVALID_ORDER',
      detail: `No ${price === null ? 'price' : 'stop'} of ${symbol} is known to work the quantity out from`,
    }
  if (!isPositive(risk))
    return {
      denied: 'PROTECTION_SENSELESS',
      detail: `The stop of ${symbol} lies on the wrong side of ${figure(price)}: nothing would be risked`,
    }
  const least = leastDistance(price, facts)
  if (compare(risk, least) < 0)
    return {
      denied: 'PROTECTION_SENSELESS',
      detail: `The stop of ${symbol} lies ${dollarAmount(risk)} from ${figure(price)}, and the quantity follows from a distance of ${dollarAmount(least)} at least: a nearer stop is reached at once, and loses much more than intended`,
    }
  const quantity = divideDown(amount, risk, mayBePart ? FRACTION_PLACES : 0)
  return isPositive(quantity)
    ? { quantity }
    : {
        denied: 'QUANTITY_ROUNDS_TO_ZERO',
        detail: `A share of ${symbol} risks ${dollarAmount(risk)} between ${figure(price)} and its stop, which is more than ${dollarAmount(amount)}`,
      }
}

/** Percent of the price: a nearer stop is reached by chance. */
const LEAST_RISK_DISTANCE = '0.1'

/** Dollars a share, beyond the spread. */
function leastDistance(price: Decimal, { buyAt, sellAt }: SizingFacts): Decimal {
  const spread = buyAt === null || sellAt === null ? '0' : larger(subtract(buyAt, sellAt), '0')
  return larger(multiply(multiply(price, LEAST_RISK_DISTANCE), '0.01'), add(tickAt(price), spread))
}

/** 100 percent includes parts of a share if possible. */
function partOfPosition(terms: SizedTerms, { position, closableQuantity }: SizingFacts): Wanted {
  const { symbol, action, quantity: percent, timeInForce } = terms
  const closes = action === 'closeLong' ? 'LONG' : 'SHORT'
  const held = position?.side === closes ? larger(position.quantity, closableQuantity) : closableQuantity
  if (!isPositive(held)) return { quantity: held }
  const isAll = compare(percent, '100') === 0
  const places = isAll && timeInForce === 'day' ? FRACTION_PLACES : 0
  const quantity = divideDown(multiply(held, percent), '100', places)
  if (!isPositive(quantity))
    return {
      denied: 'QUANTITY_ROUNDS_TO_ZERO',
      detail: `${figure(percent)} % of the ${figure(held)} ${symbol} held are less than one share`,
    }
  if (!isAll || compare(quantity, held) === 0) return { quantity }
  return {
    quantity,
    advisories: [
      {
        code: 'part_of_share_left',
        message: `${figure(held)} ${symbol} are held, and only a day order closes a part of a share, not ${timeInForce}: the order is for ${figure(quantity)}`,
      },
    ],
  }
}

/** Dollars a share of the likely fill. */
function priceToSizeAt(
  { action, limitPrice, stopPrice }: SizedTerms,
  { lastPrice, buyAt }: SizingFacts,
): Decimal | null {
  if (limitPrice !== null) return limitPrice
  const side = ENTRY_SIDE[action]
  if (side !== 'BUY' && side !== 'BUY_TO_COVER') return stopPrice ?? lastPrice
  // A passed stop price buys at the ask.
  return stopPrice === null || buyAt === null ? (stopPrice ?? buyAt) : larger(stopPrice, buyAt)
}

function openingQuantity(terms: SizedTerms, facts: SizingFacts, quantity: Decimal): Sized {
  const { symbol, action, limitPrice, stopPrice } = terms
  const { buyAt, buyingPower, orderCosts } = facts
  const { leastPartialOrder, room } = orderCosts
  const price = limitPrice ?? stopPrice ?? buyAt
  const isTooSmall = (shares: Decimal): boolean =>
    price !== null && decimalPlaces(shares) > 0 && compare(multiply(shares, price), leastPartialOrder) < 0
  if (isTooSmall(quantity))
    return {
      denied: 'ORDER_TOO_SMALL',
      detail: `${shareCount(quantity)} of ${symbol} at ${dollarAmount(price!)} are worth less than ${dollarAmount(leastPartialOrder)}, the least that the broker takes for a part of a share`,
    }
  const order = { side: ENTRY_SIDE[action], limitPrice, stopPrice }
  const cost = costOfShare(order, buyAt, orderCosts)
  const asAsked = { quantity, advisories: [] }
  if (terms.quantityType === 'fixed' || buyingPower === null || cost === null) return asAsked
  const places = whyWholeShares(terms, facts) === null ? FRACTION_PLACES : 0
  const roomLeft = cost === limitPrice ? '0' : room
  const withRoom = affordableShares(cost, buyingPower, { room: roomLeft, places })
  // One share that the buying power just pays for is better than none.
  const most = isPositive(withRoom) ? withRoom : affordableShares(cost, buyingPower, { room: '0', places })
  if (compare(quantity, most) <= 0) return asAsked
  const needed = multiply(quantity, cost)
  // Fewer shares would risk less than requested: a person must see that.
  if (!isPositive(most) || isTooSmall(most) || isByRisk(terms.quantityType))
    return { denied: 'INSUFFICIENT_FUNDS', detail: shortOfFunds(needed, buyingPower) }
  const left = isPositive(roomLeft) ? `; ${roomLeft} % of it is reserved for price moves` : ''
  return {
    quantity: most,
    advisories: [
      {
        code: 'quantity_reduced_to_buying_power',
        message: `${shareCount(quantity)} need ${dollarAmount(needed)}, and the buying power is ${dollarAmount(buyingPower)}${left}; the order is for ${figure(most)}`,
      },
    ],
  }
}

/** Null if parts of a share are possible. Alpaca: day orders only, no short sales. */
function whyWholeShares(terms: SizedTerms, { fractionable }: SizingFacts): string | null {
  if (!fractionable) return `${terms.symbol} is traded in whole shares`
  if (terms.timeInForce !== 'day') return `parts of a share need a day order, not ${terms.timeInForce}`
  if (ENTRY_SIDE[terms.action] === 'SELL_SHORT') return 'parts of a share cannot be sold short'
  if (terms.exit?.timeInForce === 'cls')
    return 'the closing auction, where the exit belongs, takes whole shares'
  return null
}
