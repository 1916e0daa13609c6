import {
  add,
  compare,
  decimal,
  divideDown,
  isDecimal,
  isPositive,
  multiply,
  subtract,
} from '#domain/money/decimal.ts'
import type { Routes } from '#client/types.ts'
import { isBetter, priceAt } from '#domain/exit/protection.ts'
import { isInTicks, notInTicks, tickAt } from '#domain/money/price-tick.ts'
import { amount } from '../parts/amount.ts'
import { distanceWords, money } from '../words/figures.ts'
import { levelDraft, type By, type LevelDraft } from './draft.ts'
import { awayWords, PART_NAMES } from './levels.ts'
import { resultAt } from './state.ts'
import type { Plan, ProtectionTerms } from './terms.ts'

export type ChangeBody = Routes['PATCH /api/v1/signals/{id}/protection']['request'][0]['body']

/** Parts of an exit that a person changes one by one. */
export type Part = keyof typeof PART_NAMES

export interface Change {
  part: Part
  level: LevelDraft
  /** Profit from which the trail follows the price; none for at once. */
  after: LevelDraft
}

/** Units in which each part can be given. */
export const WAYS: Readonly<Record<Part, Readonly<Partial<Record<By, string>>>>> = {
  stop: { price: 'Price', percent: '% of entry', amount: '$ from entry' },
  target: { price: 'Price', percent: '% of entry', amount: '$ from entry' },
  trail: { percent: '% behind', amount: '$ behind' },
  breakEven: { percent: '% profit', amount: '$ profit' },
}

/**
 * Draft of a change: an existing level begins at its present price.
 *
 * @param at dollars a share after the drag of the level
 */
export function changeOf(
  part: Part,
  terms: ProtectionTerms,
  plan: Plan,
  at = { stop: plan.stop?.price, target: plan.target, trail: null, breakEven: null }[part],
): Change {
  const after = levelDraft(part === 'trail' ? terms.trail?.after : null)
  const own = levelDraft(terms[part])
  if (at != null) return { part, after, level: { by: 'price', value: priceText(at) } }
  if (own.by !== '') return { part, after, level: own }
  return {
    part,
    after,
    level:
      part === 'stop' || part === 'target'
        ? { by: 'price', value: priceText(startPrice(part, plan)) }
        : { by: 'percent', value: part === 'trail' ? '3' : '2' },
  }
}

const priceText = (price: number): string => (price >= 1 ? price.toFixed(2) : String(price))

/** Distance at which a new level begins, in percent of the price. */
const BEGINS_AT = '3'

const startPrice = (part: 'stop' | 'target', { side, price, average }: Plan): number =>
  Number(
    priceAt(
      side,
      decimal(price?.price ?? average),
      { percent: BEGINS_AT },
      part === 'stop' ? 'loss' : 'profit',
    ),
  )

/** Dollars a share of a level; null if the draft gives none. */
function priceOf({ part, level: { by, value } }: Change, plan: Plan): number | null {
  const text = value.trim()
  if (!isDecimal(text) || !isPositive(decimal(text))) return null
  if (by === 'price') return Number(text)
  if (by === '' || part === 'breakEven') return null
  const distance = by === 'percent' ? { percent: decimal(text) } : { amount: decimal(text) }
  if (part === 'trail') return Number(priceAt(plan.side, decimal(plan.best), distance, 'loss'))
  return Number(priceAt(plan.side, decimal(plan.average), distance, part === 'stop' ? 'loss' : 'profit'))
}

/** Converts a level to another unit. */
export function saidBy(change: Change, by: By, plan: Plan): Change {
  const price = priceOf(change, plan)
  const from = change.part === 'trail' ? plan.best : plan.average
  const dollars = price === null ? null : Math.abs(price - from)
  const value =
    price === null || dollars === null
      ? change.level.value
      : by === 'price'
        ? priceText(price)
        : String(
            Number((by === 'percent' ? (dollars / from) * 100 : dollars).toFixed(by === 'percent' ? 3 : 2)),
          )
  return { ...change, level: { by, value } }
}

/** Round steps, in dollars or percent. */
const PRICE_STEPS = ['0.01', '0.05', '0.1', '0.25', '0.5', '1', '2', '5', '10'] as const

/** About a tenth of a percent of the price, or of the entry for a distance; at least the tick. */
function stepOf(by: By, value: string, plan: Plan): `${number}` {
  if (by === 'percent') return '0.25'
  const tick = by === 'price' && isDecimal(value) ? tickAt(decimal(value)) : '0.01'
  const wanted = plan.average / 1_000
  const nice = PRICE_STEPS.findLast((step) => Number(step) <= wanted) ?? tick
  return compare(nice, tick) < 0 ? tick : nice
}

/** Value after a step; null without a number, or if none above zero results. */
export function steppedLevel({ by, value }: LevelDraft, isUp: boolean, plan: Plan): string | null {
  const text = value.trim()
  if (by === '' || !isDecimal(text)) return null
  const step = stepOf(by, text, plan)
  const now = decimal(text)
  const below = multiply(divideDown(now, step, 0), step)
  const next = isUp ? add(below, step) : compare(below, now) === 0 ? subtract(now, step) : below
  if (!isPositive(next)) return null
  return by === 'price' ? priceText(Number(next)) : next
}

/** Effect of a change in one sentence; or why it makes no sense, as the service would say. */
export interface Outlook {
  sentence: string
  isSenseless: boolean
  /** "$7.98 (3.49 %) below the price", "$3.76 (1.6 %) above the entry"; none while no price is known. */
  away: readonly string[]
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/**
 * Effect of a change.
 *
 * @param price dollars a share in the market now; null while unknown
 */
export function outlookOf(change: Change, plan: Plan, price: number | null): Outlook | null {
  const { part } = change
  const level = priceOf(change, plan)
  const { side } = plan
  if (part === 'breakEven') {
    const value = change.level.value.trim()
    if (!isDecimal(value) || !isPositive(decimal(value)) || change.level.by === '') return null
    const profit = { [change.level.by]: Number(value) }
    return {
      sentence: `Once the profit has been ${distanceWords(profit)}, the stop moves to your entry, ${money(plan.average)}, plus fees.`,
      isSenseless: false,
      away: [],
    }
  }
  if (level === null) return null
  const typed = change.level.by === 'price' ? decimal(change.level.value.trim()) : null
  if (typed !== null && !isInTicks(typed))
    return { sentence: `A price ${notInTicks(typed)}.`, isSenseless: true, away: [] }
  if (part === 'trail') return outlookOfTrail(change, plan, level, price)
  const away = [
    ...(price === null ? [] : [awayWords(level, price)]),
    awayWords(level, plan.average, 'the entry'),
  ]
  const name = PART_NAMES[part].toLowerCase()
  const isOnLossSide = price === null || isBetter(side, decimal(price), decimal(level))
  const isWrong =
    part === 'target' ? !isBetter(side, decimal(level), decimal(price ?? plan.average)) : !isOnLossSide
  if (isWrong) {
    const where = (part === 'target') === (side === 'LONG') ? 'above' : 'below'
    return {
      sentence: `A ${name} of a ${side === 'LONG' ? 'long' : 'short'} position lies ${where} the price: this would close it at once.`,
      isSenseless: true,
      away,
    }
  }
  away.push(...(part === 'stop' ? rewardWords(plan, level) : rewardWords(plan, undefined, level)))
  const before = part === 'target' ? plan.target : (plan.stop?.price ?? null)
  const moves =
    before === null
      ? `${capital(name)} at ${money(level)}`
      : before === level
        ? `${capital(name)} stays at ${money(level)}`
        : `${capital(name)} from ${money(before)} to ${money(level)}`
  const closer =
    part === 'stop' &&
    plan.stop &&
    plan.stop.by !== 'stop' &&
    isBetter(side, decimal(plan.stop.price), decimal(level))
  if (closer)
    return {
      sentence: `The ${PART_NAMES[plan.stop!.by].toLowerCase()} keeps the stop at ${money(plan.stop!.price)}, closer to the price: this one counts only if you remove that.`,
      isSenseless: false,
      away,
    }
  return {
    sentence: `${moves}: there the position ${closesWith(resultAt(plan, level))}.`,
    isSenseless: false,
    away,
  }
}

/** "2.1 R to the target": gain per dollar that the stop risks; empty without both, or without a loss. */
function rewardWords(plan: Plan, stop = plan.stop?.price, target = plan.target): string[] {
  const loss = stop === undefined ? 0 : -resultAt(plan, stop)
  return target === null || loss <= 0 ? [] : [`${(resultAt(plan, target) / loss).toFixed(1)} R to the target`]
}

/** @param level dollars a share of the stop now, behind the best price so far */
function outlookOfTrail(
  { level: { by, value }, after }: Change,
  plan: Plan,
  level: number,
  price: number | null,
): Outlook {
  const { side, best, stop } = plan
  const follows = `follows ${distanceWords({ [by]: Number(value) })} behind the best price`
  const from = after.by === '' || !isDecimal(after.value.trim()) ? null : { [after.by]: Number(after.value) }
  if (from !== null && !hasReached(plan, after))
    return {
      sentence: `Once the profit has been ${distanceWords(from)}, the stop ${follows}.`,
      isSenseless: false,
      away: [],
    }
  const away = [
    ...(price === null ? [] : [awayWords(level, price)]),
    awayWords(level, plan.average, 'the entry'),
  ]
  if (price !== null && !isBetter(side, decimal(price), decimal(level)))
    return {
      sentence: `The price has passed ${money(level)}, the trail behind the best price of ${money(best)}: this would close the position at once.`,
      isSenseless: true,
      away,
    }
  const isCloser = stop !== null && stop.by !== 'trail' && isBetter(side, decimal(stop.price), decimal(level))
  return {
    sentence: isCloser
      ? `The stop ${follows} once that is closer than ${money(stop.price)}, where it stays until then.`
      : `The stop ${follows}, now at ${money(level)}: there the position ${closesWith(resultAt(plan, level))}.`,
    isSenseless: false,
    away,
  }
}

const hasReached = ({ side, average, best }: Plan, { by, value }: LevelDraft): boolean => {
  const distance = by === 'percent' ? { percent: decimal(value) } : { amount: decimal(value) }
  return !isBetter(side, priceAt(side, decimal(average), distance, 'profit'), decimal(best))
}

function closesWith(dollars: number): string {
  const cents = Math.round(dollars * 100) / 100
  if (cents === 0) return 'closes without gain or loss'
  return cents > 0
    ? `closes with about ${money(cents)} of gain`
    : `closes with a loss of about ${money(-cents)}`
}

/** Body of the change: only the changed part; other fields of the part remain. */
export function bodyOf({ part, level, after }: Change, terms: ProtectionTerms): ChangeBody {
  if (level.by === '') return { [part]: null }
  const offset = terms.stop?.limitOffset
  return {
    [part]: {
      [level.by]: amount(level.value),
      ...(part === 'stop' && offset != null && { limitOffset: offset }),
      ...(part === 'trail' && after.by !== '' && { after: { [after.by]: amount(after.value) } }),
    },
  }
}

/** Body that moves the stop to the entry, plus fees, which the service knows. */
export const BREAK_EVEN_NOW = { breakEven: { amount: 0.01 } } as const

/**
 * Reason against moving the stop to the entry at once; null for none.
 *
 * @param price dollars a share in the market now; null while unknown
 */
export function noBreakEven(
  { side, average, breakEven, stop, trailing }: Plan,
  price: number | null,
): string | null {
  if (breakEven) return 'The stop is at break-even'
  if (stop === null && !trailing) return 'There is no stop to move'
  if (price === null) return 'No price is available'
  return isBetter(side, decimal(price), decimal(average))
    ? null
    : `The price is not ${side === 'LONG' ? 'above' : 'below'} your entry yet`
}

export function removalWords(part: Part, terms: ProtectionTerms): string {
  const others = (['stop', 'target', 'trail', 'breakEven'] as const).filter(
    (each) => each !== part && terms[each] != null,
  )
  const left = part === 'stop' && terms.trail == null ? others.filter((each) => each !== 'breakEven') : others
  if (left.length === 0) return 'The position then has no protection: it stays open until you close it.'
  const keepsStop = left.includes('stop') || left.includes('trail')
  const names = left.map((each) => PART_NAMES[each].toLowerCase()).join(' and ')
  return keepsStop
    ? `${capital(names)} ${left.length === 1 ? 'stays' : 'stay'}.`
    : `${capital(names)} stays, and no stop limits a loss any more.`
}

/** Body of a removal: break-even needs a stop or a trail to move. */
export const removalBody = (part: Part, terms: ProtectionTerms): ChangeBody => ({
  [part]: null,
  ...(((part === 'stop' && terms.trail == null) || (part === 'trail' && terms.stop == null)) &&
    terms.breakEven != null && { breakEven: null }),
})
