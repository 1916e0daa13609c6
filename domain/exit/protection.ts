import {
  add,
  compare,
  decimalPlaces,
  isPositive,
  multiply,
  subtract,
  type Decimal,
  figure,
} from '../money/decimal.ts'
import { tickAt, toNearestTick } from '../money/price-tick.ts'
import type { TradeSide } from '../money/profit.ts'

/** Levels of an exit, here and at the broker. Decision 8. */

/** Percent of a price, or dollars a share; above zero. */
export type Distance = { percent: Decimal } | { amount: Decimal }
/** Dollars a share, or a distance from the entry's average fill. */
export type Level = { price: Decimal } | Distance

/** Stop, target or trail is set. */
export interface Protection {
  /** `limitOffset`: dollars a share behind the stop; without it the stop is at market. */
  stop: (Level & { limitOffset?: Decimal }) | null
  target: Level | null
  /** Behind the best price, from a profit of `after` or from the fill. */
  trail: (Distance & { after?: Distance }) | null
  /** From this profit the stop is the average fill plus fees. */
  breakEven: Distance | null
  /** session: until the session of the fill ends. closed: while the position is open. */
  until: 'session' | 'closed'
}

export const PROTECTION_UNTIL = ['session', 'closed'] as const satisfies Protection['until'][]

export interface ProtectedPosition {
  side: TradeSide
  average: Decimal
  /** Dollars a share to open and close, as far as known. */
  fees: Decimal
}

/** For whole shares. */
export interface ProtectiveAbilities {
  oco: boolean
  trailing: boolean
}

export interface BrokerKeeping extends ProtectiveAbilities {
  stops: boolean
}

export interface RestingOrder {
  orderType: 'limit' | 'stop' | 'stopLimit' | 'oco' | 'trailingStop'
  limitPrice: Decimal | null
  stopPrice: Decimal | null
  stopLimitPrice?: Decimal
  trail?: Distance
  timeInForce: 'day' | 'gtc'
}

export const LEVEL_NAMES = ['stop', 'target', 'trail', 'breakEven'] as const
export type LevelName = (typeof LEVEL_NAMES)[number]

export const PART_WORDS: Record<LevelName, string> = {
  stop: 'the stop',
  target: 'the target',
  trail: 'the trailing of the stop',
  breakEven: 'the move to break-even',
}

export const distanceInWords = (distance: Distance): string =>
  'percent' in distance ? `${figure(distance.percent)} %` : `$${figure(distance.amount)}`

const levelInWords = (level: Level): string =>
  'price' in level ? `at ${figure(level.price)}` : distanceInWords(level)

/** An exit in words: "stop at 95, target 10 %, until the session ends". */
export const exitInWords = ({ stop, target, trail, breakEven, until }: Protection): string =>
  [
    stop && `stop ${levelInWords(stop)}`,
    target && `target ${levelInWords(target)}`,
    trail &&
      `trail ${levelInWords(trail)}${trail.after ? ` after a profit of ${levelInWords(trail.after)}` : ''}`,
    breakEven && `break-even after a profit of ${levelInWords(breakEven)}`,
    until === 'session' && 'until the session ends',
  ]
    .filter(Boolean)
    .join(', ')

const sign = (side: TradeSide): 1 | -1 => (side === 'LONG' ? 1 : -1)

export const isBetter = (side: TradeSide, price: Decimal, than: Decimal): boolean =>
  compare(price, than) === sign(side)

export const betterOf = (side: TradeSide, one: Decimal, other: Decimal): Decimal =>
  isBetter(side, one, other) ? one : other

export const betterBy = (side: TradeSide, price: Decimal, dollars: Decimal): Decimal =>
  side === 'LONG' ? add(price, dollars) : subtract(price, dollars)

const dollarsOf = (distance: Distance, from: Decimal): Decimal =>
  'amount' in distance ? distance.amount : multiply(multiply(from, distance.percent), '0.01')

export function priceAt(
  side: TradeSide,
  from: Decimal,
  distance: Distance,
  towards: 'profit' | 'loss',
): Decimal {
  const dollars = dollarsOf(distance, from)
  const isUp = (towards === 'profit') === (side === 'LONG')
  return toNearestTick(isUp ? add(from, dollars) : subtract(from, dollars))
}

const levelPrice = (
  level: Level,
  { side, average }: ProtectedPosition,
  towards: 'profit' | 'loss',
): Decimal => ('price' in level ? level.price : priceAt(side, average, level, towards))

export const targetPrice = ({ target }: Protection, position: ProtectedPosition): Decimal | null =>
  target && levelPrice(target, position, 'profit')

export const firstStopPrice = ({ stop }: Protection, position: ProtectedPosition): Decimal | null =>
  stop && levelPrice(stop, position, 'loss')

/** The average fill plus fees; rounded away from a loss. */
export function breakEvenPrice({ side, average, fees }: ProtectedPosition): Decimal {
  const exact = betterBy(side, average, fees)
  const price = toNearestTick(exact)
  return isBetter(side, exact, price) ? betterBy(side, price, tickAt(price)) : price
}

const hasReached = (distance: Distance, best: Decimal, { side, average }: ProtectedPosition): boolean =>
  !isBetter(side, priceAt(side, average, distance, 'profit'), best)

export const isTrailing = ({ trail }: Protection, position: ProtectedPosition, best: Decimal): boolean =>
  trail !== null && (trail.after === undefined || hasReached(trail.after, best, position))

/** Not before the price beat break-even: the stop would be reached at once. */
export const isAtBreakEven = (
  { breakEven }: Protection,
  position: ProtectedPosition,
  best: Decimal,
): boolean =>
  breakEven !== null &&
  hasReached(breakEven, best, position) &&
  isBetter(position.side, best, breakEvenPrice(position))

export interface StopNow {
  price: Decimal
  by: Extract<LevelName, 'stop' | 'trail' | 'breakEven'>
}

/** The stop closest to the market; it never moves away, because `best` does not. */
export function stopNow(protection: Protection, position: ProtectedPosition, best: Decimal): StopNow | null {
  const { side } = position
  const first = firstStopPrice(protection, position)
  const found: (StopNow | false)[] = [
    first !== null && { price: first, by: 'stop' },
    isTrailing(protection, position, best) && {
      price: priceAt(side, best, protection.trail!, 'loss'),
      by: 'trail',
    },
    isAtBreakEven(protection, position, best) && { price: breakEvenPrice(position), by: 'breakEven' },
  ]
  return found
    .filter((stop) => stop !== false)
    .reduce<StopNow | null>((a, b) => (a === null || isBetter(side, b.price, a.price) ? b : a), null)
}

/** Undefined for a stop at market. */
const stopLimitOf = ({ stop }: Protection, side: TradeSide, at: Decimal): Decimal | undefined =>
  stop?.limitOffset && priceAt(side, at, { amount: stop.limitOffset }, 'loss')

const isWhole = (quantity: Decimal): boolean => decimalPlaces(quantity) === 0

/** A single trail, at the entry or trailing already: the broker starts at the present price. */
function trailOfBroker(
  { stop, target, trail, breakEven }: Protection,
  { average }: ProtectedPosition,
  best: Decimal,
  resting: RestingOrder | null,
): Distance | null {
  if (trail === null || trail.after !== undefined || stop !== null || target !== null || breakEven !== null)
    return null
  const trailsAlready = JSON.stringify(resting?.trail) === JSON.stringify(trail)
  return trailsAlready || compare(best, average) === 0 ? trail : null
}

/**
 * The order at the broker for these levels; null where none is possible. The stop comes first, in case this service is
 * down.
 */
export function restingOrder(
  protection: Protection,
  position: ProtectedPosition,
  best: Decimal,
  {
    quantity,
    abilities,
    resting = null,
  }: { quantity: Decimal; abilities: ProtectiveAbilities; resting?: RestingOrder | null },
): RestingOrder | null {
  const whole = isWhole(quantity)
  const timeInForce = whole && protection.until === 'closed' ? 'gtc' : 'day'
  const target = targetPrice(protection, position)
  const stop = stopNow(protection, position, best)
  if (stop === null)
    return target === null ? null : { orderType: 'limit', limitPrice: target, stopPrice: null, timeInForce }
  const limit = stopLimitOf(protection, position.side, stop.price)
  if (target !== null && whole && abilities.oco)
    return {
      orderType: 'oco',
      limitPrice: target,
      stopPrice: stop.price,
      ...(limit !== undefined && { stopLimitPrice: limit }),
      timeInForce,
    }
  const trail = abilities.trailing && whole ? trailOfBroker(protection, position, best, resting) : null
  if (trail !== null)
    return { orderType: 'trailingStop', limitPrice: null, stopPrice: null, trail, timeInForce }
  const orderType = limit === undefined ? 'stop' : 'stopLimit'
  return { orderType, limitPrice: limit ?? null, stopPrice: stop.price, timeInForce }
}

/** Only figures of a working order can change. */
export const isSameKind = (
  one: { orderType: string; timeInForce: string; stopLimitPrice?: Decimal | null },
  other: RestingOrder,
): boolean =>
  one.orderType === other.orderType &&
  one.timeInForce === other.timeInForce &&
  (one.stopLimitPrice == null) === (other.stopLimitPrice === undefined)

/** Levels without an order at the broker, which need fresh prices. */
export function watchedParts(
  protection: Protection,
  position: ProtectedPosition,
  best: Decimal,
  resting: RestingOrder | null,
): LevelName[] {
  const { side } = position
  return LEVEL_NAMES.filter((part) => {
    if (protection[part] === null) return false
    if (part === 'stop') return !keepsStop(resting, side, firstStopPrice(protection, position)!)
    if (part === 'target') return !keepsTarget(resting, side, targetPrice(protection, position)!)
    if (part === 'trail') return resting?.orderType !== 'trailingStop'
    // Needs prices until the broker's stop has been moved there.
    return !(keepsStop(resting, side, breakEvenPrice(position)) && isAtBreakEven(protection, position, best))
  })
}

/** The order's stop is no farther from the market. A trailing stop has no price. */
const keepsStop = (resting: RestingOrder | null, side: TradeSide, stop: Decimal): boolean =>
  resting !== null && resting.stopPrice !== null && !isBetter(side, stop, resting.stopPrice)

const keepsTarget = (resting: RestingOrder | null, side: TradeSide, target: Decimal): boolean => {
  const limit = resting?.orderType === 'oco' || resting?.orderType === 'limit' ? resting.limitPrice : null
  return limit !== null && !isBetter(side, limit, target)
}

export interface CrossedLevel {
  level: 'stop' | 'target'
  at: Decimal
  price: Decimal
}

/** The reached level kept here, the stop first. Exact levels count, because the broker's stop follows in steps. */
export function crossedLevel(
  protection: Protection,
  position: ProtectedPosition,
  best: Decimal,
  resting: RestingOrder | null,
  price: Decimal,
): CrossedLevel | null {
  const { side } = position
  const stop = stopNow(protection, position, best)
  if (stop !== null && !keepsStop(resting, side, stop.price) && !isBetter(side, price, stop.price))
    return { level: 'stop', at: stop.price, price }
  const target = targetPrice(protection, position)
  if (target !== null && !keepsTarget(resting, side, target) && !isBetter(side, target, price))
    return { level: 'target', at: target, price }
  return null
}

export interface LevelFault {
  part: LevelName
  message: string
}

/** Levels by distance are always right. `reference`: the fill, or the likely one. */
export function levelFaults(protection: Protection, side: TradeSide, reference: Decimal): LevelFault[] {
  const position = { side, average: reference, fees: '0' } as const
  const named = { ...protection, trail: null }
  return [...levelsPassed(named, position, reference, reference), ...belowZero(protection, position)]
}

/** Levels on the wrong side. A trail counts from `best`. */
export function levelsPassed(
  protection: Protection,
  position: ProtectedPosition,
  best: Decimal,
  price: Decimal,
): LevelFault[] {
  const { side } = position
  const stop = stopNow(protection, position, betterOf(side, best, price))
  const target = targetPrice(protection, position)
  const [kind, behind, ahead] = side === 'LONG' ? ['long', 'below', 'above'] : ['short', 'above', 'below']
  const fault = (part: LevelName, level: 'stop' | 'target', at: Decimal, where: string): LevelFault => ({
    part,
    message: `The ${level} of a ${kind} position lies ${where} the price: ${figure(at)} is not ${where} ${figure(price)}`,
  })
  return [
    ...(stop && !isBetter(side, price, stop.price) ? [fault(stop.by, 'stop', stop.price, behind)] : []),
    ...(target && !isBetter(side, target, price) ? [fault('target', 'target', target, ahead)] : []),
  ]
}

export function belowZero(protection: Protection, position: ProtectedPosition): LevelFault[] {
  const { side, average } = position
  const stop = firstStopPrice(protection, position)
  const levels: [LevelFault['part'], string, Decimal | null | undefined][] = [
    ['stop', 'stop', stop],
    ['stop', 'limit of the stop', stop && stopLimitOf(protection, side, stop)],
    ['target', 'target', targetPrice(protection, position)],
    [
      'trail',
      'stop that follows the price',
      protection.trail && priceAt(side, average, protection.trail, 'loss'),
    ],
  ]
  return levels.flatMap(([part, name, price]) =>
    price == null || isPositive(price)
      ? []
      : [{ part, message: `The ${name} would lie at ${price}, which is no price` }],
  )
}

/** Dollars a share; below zero for a profit. */
export const lossAt = ({ side, average }: ProtectedPosition, stop: Decimal): Decimal =>
  side === 'LONG' ? subtract(average, stop) : subtract(stop, average)

/** Dollars a share to the nearer of stop and trail; null without either. */
export function riskAShare(protection: Protection, position: ProtectedPosition): Decimal | null {
  const stop = stopNow(protection, position, position.average)
  return stop && lossAt(position, stop.price)
}
