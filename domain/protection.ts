import {
  add,
  compare,
  decimalPlaces,
  isPositive,
  multiply,
  round,
  subtract,
  type Decimal,
} from './decimal.ts'
import { figure } from './figures.ts'
import { tickAt } from './price-tick.ts'
import type { TradeSide } from './profit.ts'

/**
 * Exit plans: where a position is left while it is open. The plan is in the terms of the signal; this file works out its prices, and
 * which part of it lies at the broker. `docs/decisions/0032-exit-plans.md` gives the reasons.
 */

/** A distance from a price: percent of it, or dollars a share; above zero. */
export type Distance = { percent: Decimal } | { amount: Decimal }
/** A price in dollars a share, or a distance from the average fill of the entry. */
export type Level = { price: Decimal } | Distance

/** How a position is protected for as long as it is open. At least one of stop, target and trail is set. */
export interface Protection {
  /** With `limitOffset` it becomes a limit order, so many dollars a share behind the stop, instead of one at market. */
  stop: (Level & { limitOffset?: Decimal }) | null
  target: Level | null
  /** The stop follows the best price at this distance, once the profit has been `after`; from the fill on without it. */
  trail: (Distance & { after?: Distance }) | null
  /** Once the profit has been so much, the stop moves to the average fill, plus fees. */
  breakEven: Distance | null
  /** session: to the end of the session in which the entry has filled. closed: as long as the position is open. */
  until: 'session' | 'closed'
}

export const PROTECTION_UNTIL = ['session', 'closed'] as const satisfies Protection['until'][]

/** The position that a plan is for, as its signal has opened it. */
export interface ProtectedPosition {
  side: TradeSide
  /** Dollars a share that the entry was filled at on average. */
  average: Decimal
  /** Dollars a share that it costs to open and to close, as far as is known. */
  fees: Decimal
}

/** Orders that a broker keeps by itself, beside plain stop and limit orders. */
export interface ProtectiveAbilities {
  /** A target and a stop, of which the one that trades cancels the other; for whole shares. */
  oco: boolean
  /** A stop that follows the best price; for whole shares. */
  trailing: boolean
}

/** The orders of exit plans that a broker keeps. */
export interface BrokerKeeping extends ProtectiveAbilities {
  /** Stop orders, with a limit and without. */
  stops: boolean
}

/** The order of a plan that lies at the broker. */
export interface RestingOrder {
  orderType: 'limit' | 'stop' | 'stopLimit' | 'oco' | 'trailingStop'
  /** Of the target; of the stop with stopLimit. */
  limitPrice: Decimal | null
  /** Null with limit and trailingStop. */
  stopPrice: Decimal | null
  /** Limit of the stop of an oco; left out where it sells at market. */
  stopLimitPrice?: Decimal
  /** Of a trailing stop. */
  trail?: Distance
  timeInForce: 'day' | 'gtc'
}

export const PLAN_PARTS = ['stop', 'target', 'trail', 'breakEven'] as const
export type PlanPart = (typeof PLAN_PARTS)[number]

/** "2 %", "$1.5". */
export const distanceInWords = (distance: Distance): string =>
  'percent' in distance ? `${figure(distance.percent)} %` : `$${figure(distance.amount)}`

const levelInWords = (level: Level): string =>
  'price' in level ? `at ${figure(level.price)}` : distanceInWords(level)

/** A plan for people to read: "stop at 95, target 10 %, until the session ends". */
export const planInWords = ({ stop, target, trail, breakEven, until }: Protection): string =>
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

/** For a long position a higher price is the better one. */
const sign = (side: TradeSide): 1 | -1 => (side === 'LONG' ? 1 : -1)

/** Whether one price is better for the position than another; of equal ones neither is. */
export const isBetter = (side: TradeSide, price: Decimal, than: Decimal): boolean =>
  compare(price, than) === sign(side)

export const betterOf = (side: TradeSide, one: Decimal, other: Decimal): Decimal =>
  isBetter(side, one, other) ? one : other

const dollarsOf = (distance: Distance, from: Decimal): Decimal =>
  'amount' in distance ? distance.amount : multiply(multiply(from, distance.percent), '0.01')

/** To the step of prices there, half of one upwards. */
const toTick = (price: Decimal): Decimal => round(price, decimalPlaces(tickAt(price)))

/** The price at a distance from another one; `towards` profit or loss of the position. */
export function priceAt(
  side: TradeSide,
  from: Decimal,
  distance: Distance,
  towards: 'profit' | 'loss',
): Decimal {
  const dollars = dollarsOf(distance, from)
  const isUp = (towards === 'profit') === (side === 'LONG')
  return toTick(isUp ? add(from, dollars) : subtract(from, dollars))
}

const levelPrice = (
  level: Level,
  { side, average }: ProtectedPosition,
  towards: 'profit' | 'loss',
): Decimal => ('price' in level ? level.price : priceAt(side, average, level, towards))

/** Price of the target; null without one. */
export const targetPrice = ({ target }: Protection, position: ProtectedPosition): Decimal | null =>
  target && levelPrice(target, position, 'profit')

/** Price of the stop as it was asked for, which neither trail nor break-even has moved; null without one. */
export const firstStopPrice = ({ stop }: Protection, position: ProtectedPosition): Decimal | null =>
  stop && levelPrice(stop, position, 'loss')

/** The entry plus what it costs to open and to close; rounded away from a loss. */
export function breakEvenPrice({ side, average, fees }: ProtectedPosition): Decimal {
  const exact = side === 'LONG' ? add(average, fees) : subtract(average, fees)
  const price = toTick(exact)
  if (!isBetter(side, exact, price)) return price
  return side === 'LONG' ? add(price, tickAt(price)) : subtract(price, tickAt(price))
}

/** The profit of so much has been reached at this best price. */
const hasReached = (distance: Distance, best: Decimal, { side, average }: ProtectedPosition): boolean =>
  !isBetter(side, priceAt(side, average, distance, 'profit'), best)

/** Whether the stop follows the price by now. */
export const isTrailing = ({ trail }: Protection, position: ProtectedPosition, best: Decimal): boolean =>
  trail !== null && (trail.after === undefined || hasReached(trail.after, best, position))

/** Whether the stop has moved to the entry by now: not before the price was better than that, or it would be reached at once. */
export const isAtBreakEven = (
  { breakEven }: Protection,
  position: ProtectedPosition,
  best: Decimal,
): boolean =>
  breakEven !== null &&
  hasReached(breakEven, best, position) &&
  isBetter(position.side, best, breakEvenPrice(position))

/** The level that is the stop now, and the part of the plan that it comes from. */
export interface StopNow {
  price: Decimal
  by: Extract<PlanPart, 'stop' | 'trail' | 'breakEven'>
}

/**
 * Where the stop is, given the best price since the entry: the closest to the market of the stop as asked for, of the trail, and of
 * break-even, as far as each counts by now. It never moves away from the market, because the best price does not. Null where
 * nothing counts yet.
 */
export function stopNow(plan: Protection, position: ProtectedPosition, best: Decimal): StopNow | null {
  const { side } = position
  const first = firstStopPrice(plan, position)
  const found: (StopNow | null)[] = [
    first === null ? null : { price: first, by: 'stop' },
    isTrailing(plan, position, best)
      ? { price: priceAt(side, best, plan.trail!, 'loss'), by: 'trail' }
      : null,
    isAtBreakEven(plan, position, best) ? { price: breakEvenPrice(position), by: 'breakEven' } : null,
  ]
  return found.reduce(
    (a, b) => (a === null || (b !== null && isBetter(side, b.price, a.price)) ? (b ?? a) : a),
    null,
  )
}

/** The limit of a stop that is one with a limit; undefined for one that sells at market. */
const stopLimitOf = ({ stop }: Protection, side: TradeSide, at: Decimal): Decimal | undefined => {
  if (stop?.limitOffset === undefined) return undefined
  return toTick(side === 'LONG' ? subtract(at, stop.limitOffset) : add(at, stop.limitOffset))
}

const isWhole = (quantity: Decimal): boolean => decimalPlaces(quantity) === 0

/**
 * The trail that the broker may keep by itself; null for none. It knows no other level and begins at the price of its own moment: so it
 * is for a trail alone, and only while no better price is known than that of the entry, or where it trails already.
 */
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
 * The order of a plan that is to lie at the broker now, given the best price since the entry; null where nothing can yet. The stop
 * comes first, because it has to hold while nobody watches: a target that the broker cannot keep beside it is watched here.
 *
 * @param quantity shares that it is for: parts of a share can be in plain day orders only
 * @param resting the order of the plan that lies at the broker; null, or left out, for none
 */
export function restingOrder(
  plan: Protection,
  position: ProtectedPosition,
  best: Decimal,
  {
    quantity,
    abilities,
    resting = null,
  }: { quantity: Decimal; abilities: ProtectiveAbilities; resting?: RestingOrder | null },
): RestingOrder | null {
  const whole = isWhole(quantity)
  const timeInForce = whole && plan.until === 'closed' ? 'gtc' : 'day'
  const target = targetPrice(plan, position)
  const stop = stopNow(plan, position, best)
  if (stop === null)
    return target === null ? null : { orderType: 'limit', limitPrice: target, stopPrice: null, timeInForce }
  const limit = stopLimitOf(plan, position.side, stop.price)
  if (target !== null && whole && abilities.oco)
    return {
      orderType: 'oco',
      limitPrice: target,
      stopPrice: stop.price,
      ...(limit !== undefined && { stopLimitPrice: limit }),
      timeInForce,
    }
  const trail = abilities.trailing && whole ? trailOfBroker(plan, position, best, resting) : null
  if (trail !== null)
    return { orderType: 'trailingStop', limitPrice: null, stopPrice: null, trail, timeInForce }
  return limit === undefined
    ? { orderType: 'stop', limitPrice: null, stopPrice: stop.price, timeInForce }
    : { orderType: 'stopLimit', limitPrice: limit, stopPrice: stop.price, timeInForce }
}

/**
 * The parts of a plan that are kept here, because what lies at the broker does not keep them: those need fresh prices, or the owner is
 * told. All of them while nothing lies there.
 */
export function watchedParts(
  plan: Protection,
  position: ProtectedPosition,
  best: Decimal,
  resting: RestingOrder | null,
): PlanPart[] {
  const type = resting?.orderType
  const hasStop = type !== undefined && type !== 'limit'
  return PLAN_PARTS.filter((part) => {
    if (plan[part] === null) return false
    if (part === 'stop') return !hasStop
    if (part === 'target') return type !== 'oco' && type !== 'limit'
    if (part === 'trail') return type !== 'trailingStop'
    // Once it is reached it needs prices until the stop at the broker has been moved there.
    const lies = resting?.stopPrice ?? null
    const isThere = lies !== null && !isBetter(position.side, breakEvenPrice(position), lies)
    return !(isThere && isAtBreakEven(plan, position, best))
  })
}

/** A level that the price has reached although nothing at the broker acts upon it. */
export interface CrossedLevel {
  level: 'stop' | 'target'
  /** Of the level, and of the market then; dollars a share. */
  at: Decimal
  price: Decimal
}

/**
 * Whether nothing at the broker trades at the stop as it is now. What moves is exact here: the stop at the broker follows in steps,
 * and trades by itself where it lies. Where a trail of its own has begun only the broker knows: at a price below that of the entry, it
 * lies lower.
 */
const isStopKeptHere = (side: TradeSide, stop: StopNow, resting: RestingOrder | null): boolean =>
  resting === null || resting.stopPrice === null || isBetter(side, stop.price, resting.stopPrice)

/** Whether the price has reached a level that is kept here; null for none. The stop counts first. */
export function crossedLevel(
  plan: Protection,
  position: ProtectedPosition,
  best: Decimal,
  resting: RestingOrder | null,
  price: Decimal,
): CrossedLevel | null {
  const { side } = position
  const watched = watchedParts(plan, position, best, resting)
  const stop = stopNow(plan, position, best)
  if (stop !== null && isStopKeptHere(side, stop, resting) && !isBetter(side, price, stop.price))
    return { level: 'stop', at: stop.price, price }
  const target = targetPrice(plan, position)
  if (target !== null && watched.includes('target') && !isBetter(side, target, price))
    return { level: 'target', at: target, price }
  return null
}

/** What is at fault with a part of a plan. */
export interface PlanFault {
  part: PlanPart
  message: string
}

/**
 * Why a plan makes no sense for a position at this price, in words; empty for one that does. Of a plan of distances there is
 * nothing to say: they lie on their own sides of whatever the fill is.
 *
 * @param reference dollars a share: the fill, or the price at which the entry is likely to fill
 */
export function planFaults(plan: Protection, side: TradeSide, reference: Decimal): PlanFault[] {
  const faults: PlanFault[] = []
  const position = { side, average: reference, fees: '0' } as const
  const stop = firstStopPrice(plan, position)
  const target = targetPrice(plan, position)
  const [below, above] = side === 'LONG' ? ['below', 'above'] : ['above', 'below']
  const kind = side === 'LONG' ? 'long' : 'short'
  if (stop !== null && !isBetter(side, reference, stop))
    faults.push({
      part: 'stop',
      message: `A stop of a ${kind} position lies ${below} the price: ${stop} is not ${below} ${reference}`,
    })
  if (target !== null && !isBetter(side, target, reference))
    faults.push({
      part: 'target',
      message: `A target of a ${kind} position lies ${above} the price: ${target} is not ${above} ${reference}`,
    })
  return [...faults, ...belowZero(plan, position)]
}

/** The levels of a plan that are no prices, because their distance is more than there is. */
export function belowZero(plan: Protection, position: ProtectedPosition): PlanFault[] {
  const { side, average } = position
  const stop = firstStopPrice(plan, position)
  const levels: [PlanFault['part'], string, Decimal | null | undefined][] = [
    ['stop', 'stop', stop],
    ['stop', 'limit of the stop', stop && stopLimitOf(plan, side, stop)],
    ['target', 'target', targetPrice(plan, position)],
    ['trail', 'stop that follows the price', plan.trail && priceAt(side, average, plan.trail, 'loss')],
  ]
  return levels.flatMap(([part, name, price]) =>
    price == null || isPositive(price)
      ? []
      : [{ part, message: `The ${name} would lie at ${price}, which is no price` }],
  )
}

/** Dollars a share between the average fill and the stop as asked for, or the trail where there is no stop; null without either. */
export function riskAShare(plan: Protection, position: ProtectedPosition): Decimal | null {
  const { side, average } = position
  const trail =
    plan.trail && plan.trail.after === undefined ? priceAt(side, average, plan.trail, 'loss') : null
  const stop = firstStopPrice(plan, position)
  const level = stop === null ? trail : trail === null ? stop : betterOf(side, stop, trail)
  if (level === null) return null
  return side === 'LONG' ? subtract(average, level) : subtract(level, average)
}
