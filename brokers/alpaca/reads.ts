import type { z } from 'zod'
import type { BrokerHttp, HttpAnswer } from '../http.ts'
import { isNotFound, requestError } from './orders.ts'
import {
  readJson,
  readWire,
  type WireAccount,
  type WireAsset,
  type WirePosition,
  wireAsset,
  wireAssetList,
  wireListedAsset,
} from './wire.ts'
import {
  divideDown,
  isZero,
  magnitude,
  multiply,
  negate,
  subtract,
  type Decimal,
} from '#domain/money/decimal.ts'
import type { AccountPermissions } from '#domain/risk/permissions.ts'
import { PERCENT_PLACES } from '#domain/money/profit.ts'
import {
  type BrokerAccount,
  type BrokerAsset,
  type BrokerPosition,
  AssetLookupUnsupported,
  BrokerOutcomeUnknown,
  type ListedAsset,
} from '../port.ts'

const MOST = 10_000

export class Memo<T> {
  readonly #entries = new Map<string, T>()

  get(key: string): T | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: T): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size > MOST) this.#entries.delete(this.#entries.keys().next().value!)
  }
}

export const isSuccess = ({ status }: HttpAnswer): boolean => status >= 200 && status < 300

export function readSuccess(answer: HttpAnswer, what: string): unknown {
  if (!isSuccess(answer)) throw requestError(answer, what)
  return readJson(answer.body, what)
}

export async function get<T extends z.ZodType>(
  http: BrokerHttp,
  path: string,
  schema: T,
  what: string,
): Promise<z.output<T>> {
  return readWire(schema, readSuccess(await http.send('GET', path), what), what)
}

export async function getOrNull<T extends z.ZodType>(
  http: BrokerHttp,
  path: string,
  schema: T,
  what: string,
): Promise<z.output<T> | null> {
  const answer = await http.send('GET', path)
  return isNotFound(answer) ? null : readWire(schema, readSuccess(answer, what), what)
}

export const account = (wire: WireAccount): BrokerAccount => ({
  brokerAccountId: wire.account_number,
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

/** Figures follow from quantity, cost and price (else the last close or cost), so that they agree. */
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

const asset = (wire: WireAsset): BrokerAsset => ({
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

/** A single answer has all assets: about 11,500 and 5 MB. */
export const LISTING_BOUNDS = { timeoutMs: 15_000, maxAnswerBytes: 16 * 1024 * 1024 }
const MOST_ASSETS = 30_000
const LONGEST_NAME = 200

/** The server lacks the whole service (RFC 9110, section 15.6.2). */
const HTTP_NOT_IMPLEMENTED = 501

/** Throws {@link AssetLookupUnsupported} where assets cannot be asked for. */
export async function readAsset(http: BrokerHttp, symbol: string): Promise<BrokerAsset | null> {
  const answer = await http.send('GET', `/v2/assets/${encodeURIComponent(symbol)}`)
  assertOffered(answer)
  return isNotFound(answer) ? null : asset(readWire(wireAsset, readSuccess(answer, 'asset'), 'asset'))
}

/** Unreadable rows are left out; a list of only such rows throws. Throws as {@link readAsset}. */
export async function readAssets(http: BrokerHttp): Promise<ListedAsset[]> {
  const query = new URLSearchParams({ status: 'active', asset_class: 'us_equity' })
  const answer = await http.send('GET', `/v2/assets?${query.toString()}`)
  assertOffered(answer)
  const rows = readWire(wireAssetList, readSuccess(answer, 'list of assets'), 'list of assets')
  const readable = rows.flatMap((row) => wireListedAsset.safeParse(row).data ?? [])
  if (rows.length > 0 && readable.length === 0)
    throw new BrokerOutcomeUnknown("The broker's list of assets cannot be read")
  return readable
    .filter((row) => row.tradable && row.status === 'active' && row.class === 'us_equity')
    .slice(0, MOST_ASSETS)
    .map(({ symbol, name, exchange }) => ({ symbol, name: name?.slice(0, LONGEST_NAME) ?? '', exchange }))
}

function assertOffered({ status }: HttpAnswer): void {
  if (status === HTTP_NOT_IMPLEMENTED)
    throw new AssetLookupUnsupported('The broker offers no look-up of assets')
}
