import { classFault, positionFault } from '../order/broker-rules.ts'
import {
  buyingPowerFor,
  costOfShare,
  fundsFault,
  equityDoubt,
  equityMove,
  noteEquity,
  type EquityRecord,
} from './buying-power.ts'
import { multiply, type Decimal, dollarAmount } from '../money/decimal.ts'
import type { DenialCode } from './denial.ts'
import type { EntryMarket, EntryRule, EntryTerms, EntryVerdict } from './entry-verdict.ts'
import { freshQuote, type JudgedPrice } from './market-price.ts'
import { oppositeFault, type StepAside } from '../order/opposite-orders.ts'
import { isReducing, type OrderRequest } from '../order/order.ts'
import { isByEquity, isByPrice, isOpening } from '../signal/signal.ts'

export function verdict(
  rule: EntryRule,
  isKept: boolean,
  code: DenialCode,
  { kept, broken }: { kept: string; broken: string },
): EntryVerdict {
  return isKept
    ? { rule, outcome: 'passed', message: kept }
    : { rule, outcome: 'denied', code, message: broken }
}

export function symbolVerdict({ symbol }: EntryTerms, { symbolIsKnown }: EntryMarket): EntryVerdict {
  if (symbolIsKnown === null)
    return { rule: 'symbol', outcome: 'skipped', message: 'Left to the broker, who knows its assets' }
  return verdict('symbol', symbolIsKnown, 'INVALID_ORDER', {
    kept: `The broker knows ${symbol}`,
    broken: `The broker has no asset ${symbol}`,
  })
}

/** Only shares are opened; every position may be closed. */
export function assetClassVerdict(
  { action, symbol }: Pick<EntryTerms, 'action' | 'symbol'>,
  { assetClass }: Pick<EntryMarket, 'assetClass'>,
): EntryVerdict {
  const rule = 'assetClass'
  if (!isOpening(action))
    return { rule, outcome: 'skipped', message: 'Positions of any asset class may be closed' }
  const fault = classFault(symbol, assetClass)
  return fault === null
    ? { rule, outcome: 'passed', message: `${symbol} is a share` }
    : { rule, outcome: 'denied', code: 'SYMBOL_NOT_ALLOWED', message: fault }
}

export const equityAt = (
  { quantityType }: Pick<EntryTerms, 'quantityType'>,
  { equity, askedAt }: Pick<EntryMarket, 'equity' | 'askedAt'>,
  record: EquityRecord | null,
): EquityRecord | null =>
  isByEquity(quantityType) ? noteEquity(record, equity, new Date(askedAt).toISOString()) : record

export function equityVerdict(
  { quantityType }: Pick<EntryTerms, 'quantityType'>,
  { askedAt }: Pick<EntryMarket, 'askedAt'>,
  record: EquityRecord | null,
): EntryVerdict {
  const rule = 'equity'
  if (!isByEquity(quantityType) || record === null)
    return { rule, outcome: 'skipped', message: 'The order is not sized by the equity' }
  const doubt = equityDoubt(record)
  if (doubt !== null) return { rule, outcome: 'denied', code: 'EQUITY_IMPLAUSIBLE', message: doubt }
  const move = equityMove(record, new Date(askedAt).toISOString())
  return move === null
    ? { rule, outcome: 'passed', message: `The equity is ${dollarAmount(record.believed)}` }
    : { rule, outcome: 'warned', message: move }
}

const DENIED = { stale: 'PRICE_STALE', unavailable: 'PRICE_UNAVAILABLE' } as const

/** Without a credible price, only a close sized by it is denied. */
export function priceVerdict(
  { action, quantityType, limitPrice, stopPrice }: EntryTerms,
  price: JudgedPrice | null,
): EntryVerdict {
  const rule = 'price'
  if (price === null)
    return { rule, outcome: 'skipped', message: 'The order does not depend on a last price' }
  switch (price.outcome) {
    case 'believed':
      return { rule, outcome: 'passed', message: `The last price is ${dollarAmount(price.price)}` }
    case 'farSide':
      return { rule, outcome: 'warned', message: price.detail }
    case 'unknown':
      return { rule, outcome: 'skipped', message: price.detail }
    case 'stale':
    case 'unavailable': {
      const isSizedByIt = isByPrice(quantityType) && limitPrice === null && stopPrice === null
      return isOpening(action) || isSizedByIt
        ? { rule, outcome: 'denied', code: DENIED[price.outcome], message: price.detail }
        : { rule, outcome: 'skipped', message: price.detail }
    }
  }
}

/** The present ask and bid, else the last price. `collar`: percent. */
export function atMarket(
  { quote, askedAt }: Pick<EntryMarket, 'quote' | 'askedAt'>,
  lastPrice: Decimal | null,
  collar: Decimal,
): { buyAt: Decimal | null; sellAt: Decimal | null } {
  const fresh = freshQuote(quote, askedAt, collar)
  const last = lastPrice ?? quote?.last ?? null
  return { buyAt: fresh?.ask ?? last, sellAt: fresh?.bid ?? last }
}

export const buyingPowerOf = ({ funds, asset }: Pick<EntryMarket, 'funds' | 'asset'>): Decimal | null =>
  funds && buyingPowerFor(funds, asset?.found?.marginable ?? true)

export function brokerVerdicts(
  order: Omit<OrderRequest, 'clientOrderId'>,
  market: Pick<EntryMarket, 'asset' | 'position' | 'openOrders' | 'funds' | 'orderCosts'>,
  buyAt: Decimal | null,
  ownExits: StepAside = { what: 'clear' },
): EntryVerdict[] {
  const { asset, position, openOrders } = market
  const ofPosition = positionFault(order, position)
  const givingWay =
    ownExits.what === 'cancel' ? ownExits.orders.map(({ clientOrderId }) => clientOrderId) : []
  const ofOthers =
    openOrders &&
    oppositeFault(
      order,
      openOrders.filter(({ clientOrderId }) => !givingWay.includes(clientOrderId)),
    )
  const ofOrders = ownExits.what === 'refused' ? ownExits.detail : ofOthers
  return [
    asset === null
      ? { rule: 'asset', outcome: 'skipped', message: 'Left to the broker, who knows its assets' }
      : verdict('asset', asset.found !== null, 'INVALID_ORDER', {
          kept: `The broker has the asset ${order.symbol}`,
          broken: `The broker has no asset ${order.symbol}`,
        }),
    verdict('position', ofPosition === null, 'INVALID_ORDER', {
      kept: 'No position of the other side is known to be in the way',
      broken: ofPosition ?? '',
    }),
    openOrders === null && ofOrders === null
      ? {
          rule: 'oppositeOrder',
          outcome: 'skipped',
          message: 'Left to the broker, who knows its open orders',
        }
      : verdict('oppositeOrder', ofOrders === null, 'OPPOSITE_ORDER', {
          kept: 'No open order of the account is in its way',
          broken: ofOrders ?? '',
        }),
    buyingPowerVerdict(order, market, buyAt),
  ]
}

function buyingPowerVerdict(
  order: Omit<OrderRequest, 'clientOrderId'>,
  market: Pick<EntryMarket, 'asset' | 'funds' | 'orderCosts'>,
  buyAt: Decimal | null,
): EntryVerdict {
  const rule = 'buyingPower'
  const skipped = (message: string): EntryVerdict => ({ rule, outcome: 'skipped', message })
  if (isReducing(order.side)) return skipped('Closing a position takes no buying power')
  const { funds, orderCosts } = market
  const buyingPower = buyingPowerOf(market)
  if (funds === null || buyingPower === null) return skipped('Left to the broker, who knows the buying power')
  const cost = costOfShare(order, buyAt, orderCosts)
  if (cost === null)
    return skipped(`No price of ${order.symbol} is known to hold the order to the buying power`)
  const needed = multiply(order.quantity, cost)
  const fault = fundsFault(needed, buyingPower)
  return verdict(rule, fault === null, 'INSUFFICIENT_FUNDS', {
    kept: `The order needs ${dollarAmount(needed)} of the buying power of ${dollarAmount(buyingPower)}`,
    broken: fault ?? '',
  })
}
