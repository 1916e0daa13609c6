import { divideDown, isZero, magnitude, multiply, negate, subtract, type Decimal } from '#domain/decimal.ts'
import type { AccountPermissions } from '#domain/account-may.ts'
import { PERCENT_PLACES } from '#domain/profit.ts'
import type { BrokerAccount, BrokerAsset, BrokerPosition } from '../port.ts'
import type { WireAccount, WireAsset, WirePosition } from './wire.ts'

export const account = (wire: WireAccount): BrokerAccount => ({
  brokerAccountId: wire.account_number,
  // A multiplier of 1 is an account without margin.
  type: wire.multiplier === '1' ? 'CASH' : 'MARGIN',
  currency: wire.currency,
  equity: wire.equity,
  cashBalance: wire.cash,
  buyingPower: wire.buying_power,
  nonMarginableBuyingPower: wire.non_marginable_buying_power ?? null,
  dayTradingBuyingPower: wire.daytrading_buying_power ?? null,
  marketValue: subtract(wire.equity, wire.cash),
  permissions: permissionsOf(wire),
})

function permissionsOf(wire: WireAccount): AccountPermissions {
  const hasMargin = wire.multiplier !== '1'
  const blocks = [
    wire.status !== 'ACTIVE' && `its status is ${wire.status}`,
    wire.account_blocked === true && 'the account is blocked',
    wire.trading_blocked === true && 'trading is blocked',
    wire.trade_suspended_by_user === true && 'trading was suspended by the owner of the account',
  ]
  return {
    blocks: blocks.filter((block) => block !== false),
    sellsShort: hasMargin ? (wire.shorting_enabled ?? null) : false,
    settledCash: hasMargin ? null : (wire.cash_withdrawable ?? wire.non_marginable_buying_power ?? null),
  }
}

/** Figures follow from quantity, cost and price, so that they agree. Without a price the last close, else the cost. */
export function position(wire: WirePosition): BrokerPosition {
  const quantity = magnitude(wire.qty)
  const price = wire.current_price ?? wire.lastday_price ?? wire.avg_entry_price
  const signed = wire.side === 'long' ? quantity : negate(quantity)
  const gain = multiply(subtract(price, wire.avg_entry_price), signed)
  const cost = multiply(wire.avg_entry_price, quantity)
  const hasDayChange = wire.current_price != null && wire.lastday_price != null
  return {
    symbol: wire.symbol,
    side: wire.side === 'long' ? 'LONG' : 'SHORT',
    quantity,
    availableQuantity: magnitude(wire.qty_available),
    avgCost: wire.avg_entry_price,
    currentPrice: price,
    marketValue: multiply(price, signed),
    unrealisedPnl: gain,
    unrealisedPnlPercent: percentOf(gain, cost),
    dayChange: hasDayChange ? subtract(wire.current_price!, wire.lastday_price!) : null,
    dayChangePercent: wire.change_today == null ? null : multiply(wire.change_today, '100'),
  }
}

const percentOf = (part: Decimal, whole: Decimal): Decimal =>
  isZero(whole) ? '0' : divideDown(multiply(part, '100'), whole, PERCENT_PLACES)

export const asset = (wire: WireAsset): BrokerAsset => ({
  symbol: wire.symbol,
  name: wire.name,
  exchange: wire.exchange,
  assetClass: wire.class,
  status: wire.status,
  tradable: wire.tradable,
  marginable: wire.marginable,
  shortable: wire.shortable,
  easyToBorrow: wire.easy_to_borrow,
  fractionable: wire.fractionable,
  maintenanceMarginRequirement: wire.maintenance_margin_requirement ?? null,
  marginRequirementLong: wire.margin_requirement_long ?? null,
  marginRequirementShort: wire.margin_requirement_short ?? null,
})
