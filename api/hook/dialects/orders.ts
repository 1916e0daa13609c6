import type { OrderType } from '#domain/order/order.ts'
import { wordsFor } from './dialect.ts'
import type { Given, SenderFields } from './sender-fields.ts'
import {
  compare,
  decimal,
  isDecimal,
  isPositive,
  LEDGER_PLACES,
  round,
  type Decimal,
} from '#domain/money/decimal.ts'
import type { TradeInstruction } from '#domain/hook/message.ts'
import { isInTicks, toTick } from '#domain/money/price-tick.ts'

export const ORDER_TYPE_OF: Readonly<Record<string, OrderType | null>> = {
  ...wordsFor({ market: 'market mkt', limit: 'limit lmt', stop: 'stop stopmarket', stopLimit: 'stoplimit' }),
  trailingstop: null,
  trailingstoplimit: null,
  trailstop: null,
  trailing: null,
  trail: null,
}
export const NO_TRAILING_ORDER = {
  code: 'unsupported_order',
  message: 'Trailing orders are not placed here: send a stop at a price in dollars',
}
const TIME_IN_FORCE_OF = { day: 'day', gtc: 'gtc', opg: 'opg', cls: 'cls', ioc: 'ioc', fok: 'fok' } as const

export interface ReadOrder {
  order: Record<string, unknown>
  names: Partial<Record<string, string>>
}

/**
 * A price alone determines the order type.
 * @param shortNames `type`, `limit` and `stop` count too
 */
export function readOrder(fields: SenderFields, { shortNames }: { shortNames: boolean }): ReadOrder {
  const short = (name: string): string[] => (shortNames ? [name] : [])
  const typeGiven = fields.optional('ordertype', ...short('type'))
  const limit = fields.price(fields.optional('limitprice', ...short('limit')))
  const stop = fields.price(fields.optional('stopprice', ...short('stop')))
  const tifGiven = fields.optional('timeinforce', 'tif')
  const hours = fields.optional('extendedhours')
  const trail = fields.first('trailamount', 'trailpercent')
  const said = fields.word(typeGiven, ORDER_TYPE_OF, 'market, limit, stop, stop_limit', NO_TRAILING_ORDER)
  const isReported = typeGiven !== null && said === null
  if (trail !== null && !isReported) fields.fault(trail, NO_TRAILING_ORDER.code, NO_TRAILING_ORDER.message)
  const assumed = typeGiven === null ? typeByPrices(limit !== null, stop !== null) : null
  if (assumed !== null)
    fields.advise(
      'order_type_assumed',
      `The message has a price and no kind of order: it is read as ${assumed}`,
    )
  const orderType = said ?? assumed
  const timeInForce = fields.word(tifGiven, TIME_IN_FORCE_OF)
  const extendedHours = fields.flag(hours)
  return {
    order: {
      ...(orderType !== null && { orderType }),
      ...(limit !== null && { limitPrice: limit.value }),
      ...(stop !== null && { stopPrice: stop.value }),
      ...(timeInForce !== null && { timeInForce }),
      ...(extendedHours !== null && { extendedHours }),
    },
    names: {
      ...named('orderType', typeGiven),
      ...named('limitPrice', limit?.given),
      ...named('stopPrice', stop?.given),
      ...named('timeInForce', tifGiven),
      ...named('extendedHours', hours),
    },
  }
}

const typeByPrices = (hasLimit: boolean, hasStop: boolean): OrderType | null =>
  hasLimit ? (hasStop ? 'stopLimit' : 'limit') : hasStop ? 'stop' : null

export const named = (field: string, given: Given | null | undefined): Partial<Record<string, string>> =>
  given == null ? {} : { [field]: given.name }

const LONGEST_DELAY_SECONDS = 86_400

/** Seconds, rounded up; null for none. */
export function delayOf(fields: SenderFields): number | null {
  const given = fields.optional('delay')
  const value = fields.number(given)
  if (value === null || given === null || value === '0') return null
  const seconds = Number(value)
  if (seconds > 0 && seconds <= LONGEST_DELAY_SECONDS) return Math.ceil(seconds)
  return fields.fault(
    given,
    'out_of_range',
    `${given.name} must be from 0 to ${LONGEST_DELAY_SECONDS} seconds, which is a day`,
  )
}

/** Rounded towards the price, a level closes no later than meant. */
export function levelsInTicks(fields: SenderFields, instruction: TradeInstruction): TradeInstruction {
  const { body, names } = instruction
  const plan = body['protection']
  if (!isObject(plan)) return instruction
  const isLong = !opensShort(body)
  const rounded = { ...plan }
  for (const [part, field, direction] of [
    ['stop', 'price', isLong ? 'up' : 'down'],
    // A farther limit is more likely to close.
    ['stop', 'limitOffset', 'up'],
    ['target', 'price', isLong ? 'down' : 'up'],
  ] as const) {
    const level = rounded[part]
    const given = isObject(level) ? unroundedIn(level[field]) : null
    const price = given && toTick(given, direction)
    if (!isObject(level) || price === null || !isPositive(price)) continue
    rounded[part] = { ...level, [field]: price }
    const name = names[`protection.${part}.${field}`] ?? `protection.${part}.${field}`
    fields.advise(
      'price_rounded_to_tick',
      `${name} ${given} has more decimals than brokers take: ${price} is taken. Round it where it is calculated`,
    )
  }
  return { ...instruction, body: { ...body, protection: rounded } }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function unroundedIn(value: unknown): Decimal | null {
  if (!isDecimal(value)) return null
  const price = round(decimal(value), LEDGER_PLACES)
  return isPositive(price) && !isInTicks(price) ? price : null
}

function opensShort({ targetPosition, action }: Record<string, unknown>): boolean {
  if (targetPosition == null) return action === 'openShort'
  return isDecimal(targetPosition) && compare(decimal(targetPosition), '0') < 0
}
