import {
  add,
  divideDown,
  isPositive,
  magnitude,
  multiply,
  round,
  subtract,
  type Decimal,
} from '#domain/money/decimal.ts'
import type { Asset } from '../assets.ts'
import { assetIdOf } from '../assets.ts'
import type { VenueAccount } from '../ledger/accounts.ts'
import type { VenuePosition } from '../ledger/executions.ts'
import { multiplierOf, type Balances } from '../exchange/margin.ts'
import { instantText } from './order.ts'

/** Alpaca has at least four decimals for ratios, cents for money. */
const SHOWN_RATIO_PLACES = 6
const MONEY_PLACES = 2

/** Fields of pattern day traders are absent: Alpaca removed them. */
export function presentAccount(account: VenueAccount, balances: Balances) {
  const money = (amount: Decimal) => round(amount, MONEY_PLACES)
  const buyingPower = money(balances.buyingPower)
  return {
    id: account.id,
    account_number: `PV${account.id.replaceAll('-', '').slice(0, 10).toUpperCase()}`,
    status: 'ACTIVE',
    crypto_status: 'INACTIVE',
    currency: 'USD',
    buying_power: buyingPower,
    regt_buying_power: buyingPower,
    non_marginable_buying_power: isPositive(account.cash) ? money(account.cash) : '0',
    cash: money(account.cash),
    accrued_fees: '0',
    pending_transfer_in: '0',
    pending_transfer_out: '0',
    portfolio_value: money(balances.equity),
    equity: money(balances.equity),
    last_equity: account.lastEquity,
    multiplier: multiplierOf(account),
    long_market_value: money(balances.longMarketValue),
    short_market_value: money(balances.shortMarketValue),
    position_market_value: money(subtract(balances.longMarketValue, balances.shortMarketValue)),
    initial_margin: money(balances.initialMargin),
    maintenance_margin: money(balances.maintenanceMargin),
    last_maintenance_margin: '0',
    sma: '0',
    trading_blocked: false,
    transfers_blocked: false,
    account_blocked: false,
    trade_suspended_by_user: account.configuration.suspend_trade,
    shorting_enabled: account.type === 'margin' && !account.configuration.no_shorting,
    created_at: instantText(account.createdAt),
  }
}

/** Short quantity, value and cost are negative. `lastDayPrice`: at the previous session's close. */
export function presentPosition(
  position: VenuePosition,
  asset: Asset | null,
  figures: { available: Decimal; price: Decimal; lastDayPrice: Decimal },
) {
  const { qty, avgEntryPrice } = position
  const { available, price, lastDayPrice } = figures
  const value = multiply(qty, price)
  const cost = multiply(qty, avgEntryPrice)
  const gain = subtract(value, cost)
  const dayGain = multiply(qty, subtract(price, lastDayPrice))
  return {
    asset_id: assetIdOf(position.symbol),
    symbol: position.symbol,
    exchange: asset?.exchange ?? '',
    asset_class: 'us_equity',
    asset_marginable: true,
    qty,
    avg_entry_price: round(avgEntryPrice, SHOWN_RATIO_PLACES),
    side: isPositive(qty) ? 'long' : 'short',
    market_value: round(value, MONEY_PLACES),
    cost_basis: round(cost, MONEY_PLACES),
    unrealized_pl: round(gain, MONEY_PLACES),
    unrealized_plpc: ratio(gain, magnitude(cost)),
    unrealized_intraday_pl: round(dayGain, MONEY_PLACES),
    unrealized_intraday_plpc: ratio(dayGain, magnitude(multiply(qty, lastDayPrice))),
    current_price: price,
    lastday_price: lastDayPrice,
    change_today: ratio(subtract(price, lastDayPrice), lastDayPrice),
    qty_available: isPositive(qty) ? available : multiply(available, '-1'),
  }
}

export function presentAsset(asset: Asset) {
  return {
    id: asset.id,
    class: asset.assetClass,
    exchange: asset.exchange,
    symbol: asset.symbol,
    name: asset.name,
    status: 'active',
    tradable: asset.isTradable,
    marginable: true,
    maintenance_margin_requirement: asset.marginRequirement.maintenance,
    margin_requirement_long: asset.marginRequirement.long?.toString() ?? null,
    margin_requirement_short: asset.marginRequirement.short?.toString() ?? null,
    shortable: asset.isShortable,
    easy_to_borrow: asset.isShortable,
    fractionable: asset.isFractionable,
    attributes: [] as string[],
  }
}

const ratio = (part: Decimal, whole: Decimal): Decimal =>
  isPositive(whole) ? divideDown(add(part, '0'), whole, SHOWN_RATIO_PLACES) : '0'
