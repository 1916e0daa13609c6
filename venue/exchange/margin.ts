import {
  add,
  compare,
  isZero,
  larger,
  magnitude,
  multiply,
  subtract,
  type Decimal,
} from '#domain/money/decimal.ts'
import type { VenueAccount } from '../ledger/accounts.ts'
import type { VenuePosition } from '../ledger/executions.ts'
import type { VenueOrder } from '../ledger/orders.ts'

/** Dollars; short values are negative. */
export interface Balances {
  cash: Decimal
  longMarketValue: Decimal
  shortMarketValue: Decimal
  equity: Decimal
  /** Half of all positions, long and short (Regulation T). */
  initialMargin: Decimal
  /** 30 % of all positions. */
  maintenanceMargin: Decimal
  buyingPower: Decimal
}

const INITIAL_MARGIN = '0.5'
const MAINTENANCE_MARGIN = '0.3'

export const multiplierOf = ({
  type,
  configuration,
}: Pick<VenueAccount, 'type' | 'configuration'>): '1' | '2' =>
  type === 'margin' && configuration.max_margin_multiplier !== '1' ? '2' : '1'

/** A margin account holds a multiple of its equity, a cash account its cash; open orders reduce both. */
export function balancesOf(
  account: Pick<VenueAccount, 'cash' | 'type' | 'configuration'>,
  positions: readonly VenuePosition[],
  workingOrders: readonly VenueOrder[],
  priceOf: (symbol: string) => Decimal,
): Balances {
  let longMarketValue: Decimal = '0'
  let shortMarketValue: Decimal = '0'
  for (const { symbol, qty } of positions) {
    const value = multiply(qty, priceOf(symbol))
    if (compare(qty, '0') > 0) longMarketValue = add(longMarketValue, value)
    else shortMarketValue = add(shortMarketValue, value)
  }
  const equity = add(account.cash, add(longMarketValue, shortMarketValue))
  const held = subtract(longMarketValue, shortMarketValue)
  const reserved = workingOrders.reduce<Decimal>((sum, order) => add(sum, reserveOf(order)), '0')
  const spendable =
    account.type === 'cash' ? account.cash : subtract(multiply(multiplierOf(account), equity), held)
  const buyingPower = subtract(spendable, reserved)
  return {
    cash: account.cash,
    longMarketValue,
    shortMarketValue,
    equity,
    initialMargin: multiply(held, INITIAL_MARGIN),
    maintenanceMargin: multiply(held, MAINTENANCE_MARGIN),
    buyingPower: compare(buyingPower, '0') > 0 ? buyingPower : '0',
  }
}

/** Dollars reserved for the open part. */
function reserveOf(order: VenueOrder): Decimal {
  if (order.reservePrice === null) return '0'
  if (order.notional !== null) return isZero(order.filledQty) ? order.notional : '0'
  return multiply(subtract(order.qty!, order.filledQty), order.reservePrice)
}

/** Two levels of a group reserve the same shares, none before the entry fills. */
export function heldForOrders(
  symbol: string,
  workingOrders: readonly VenueOrder[],
): { held: Decimal; orderIds: string[] } {
  const closing = workingOrders.filter((order) => {
    const closes = order.qty !== null && order.positionIntent.endsWith('_to_close')
    return order.symbol === symbol && closes && order.waitsFor !== 'entry'
  })
  const open = new Map<string, Decimal>()
  for (const { groupId, id, qty, filledQty } of closing) {
    const key = groupId ?? id
    open.set(key, larger(open.get(key) ?? '0', subtract(qty!, filledQty)))
  }
  return {
    held: [...open.values()].reduce<Decimal>(add, '0'),
    orderIds: closing.map(({ id }) => id),
  }
}

export function availableQty(position: VenuePosition, workingOrders: readonly VenueOrder[]): Decimal {
  const free = subtract(magnitude(position.qty), heldForOrders(position.symbol, workingOrders).held)
  return compare(free, '0') > 0 ? free : '0'
}
