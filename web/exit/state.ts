import type { Account, SignalDetail } from '#client/types.ts'
import { decimal } from '#domain/money/decimal.ts'
import { priceAt } from '#domain/exit/protection.ts'
import { distanceWords, money } from '../words/figures.ts'
import { isRealMoney } from '../words/signal.ts'
import {
  AT_BROKER,
  awayWords,
  distanceOf,
  namesOf,
  PART_NAMES,
  type Keepers,
  type LevelLine,
} from './levels.ts'
import type { DistanceTerms, Plan, Planned, ProtectionTerms } from './terms.ts'

/** Levels at the broker now, and levels that the service keeps. */
export const keepers = ({ atBroker, keptHere }: Pick<Plan, 'atBroker' | 'keptHere'>): Keepers => ({
  atBroker: atBroker === null ? '' : AT_BROKER[atBroker.orderType],
  keptHere: namesOf(keptHere),
})

/** Name of the effective stop, by the part that moved it last. */
const stopName = ({ stop }: Pick<Plan, 'stop'>): string =>
  stop === null ? PART_NAMES.stop : stop.by === 'stop' ? PART_NAMES.stop : PART_NAMES[stop.by]

/** Dollars that closing at a level brings against the average fill; below zero for a loss. */
export const resultAt = ({ side, average, quantity }: Plan, level: number): number =>
  (side === 'LONG' ? level - average : average - level) * quantity

const resultWords = (dollars: number): string => {
  const cents = Math.round(dollars * 100) / 100
  if (cents === 0) return 'closes without gain or loss'
  return cents > 0 ? `keeps about ${money(cents)} of gain` : `loses about ${money(-cents)}`
}

/**
 * The current levels of an exit.
 *
 * @param price dollars a share in the market now; null while unknown
 */
export function openLines(terms: ProtectionTerms, plan: Plan, price: number | null): LevelLine[] {
  const { stop, target } = plan
  const lines: LevelLine[] = []
  const away = (level: number): string => (price === null ? '' : awayWords(level, price))
  if (stop)
    lines.push({
      part: stop.by,
      at: money(stop.price),
      away: away(stop.price),
      note: [
        resultWords(resultAt(plan, stop.price)),
        stop.by === 'trail' && terms.trail
          ? `${distanceWords(terms.trail)} behind the best price of ${money(plan.best)}`
          : '',
      ]
        .filter(Boolean)
        .join('; '),
    })
  if (target !== null)
    lines.push({
      part: 'target',
      at: money(target),
      away: away(target),
      note: resultWords(resultAt(plan, target)).replace('keeps about', 'gains about').replace(' of gain', ''),
    })
  if (terms.trail && stop?.by !== 'trail')
    lines.push({
      part: 'trail',
      at: `${distanceWords(terms.trail)} behind the best price`,
      away: '',
      note: plan.trailing
        ? 'follows, and is farther from the price than the stop above'
        : `begins at a profit of ${distanceWords(terms.trail.after ?? {})}${startWords(plan, terms.trail.after)}`,
    })
  if (terms.breakEven && !plan.breakEven)
    lines.push({
      part: 'breakEven',
      at: `from a profit of ${distanceWords(terms.breakEven)}`,
      away: '',
      note: `the stop then moves to the entry, plus fees${startWords(plan, terms.breakEven)}`,
    })
  return lines
}

/** ", at $232.54" */
function startWords({ side, average }: Plan, after: DistanceTerms | null | undefined): string {
  if (!after) return ''
  return `, at ${money(Number(priceAt(side, decimal(average), distanceOf(after), 'profit')))}`
}

const onePlace = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** Levels of an exit with their distance from the price: "Stop loss $216.58 (−3.4 %)". */
export const levelChips = (plan: Pick<Plan, 'stop' | 'target'>, price: number): string[] => {
  const chip = (name: string, level: number): string => {
    const percent = ((level - price) / price) * 100
    const away = `${percent < 0 ? '−' : '+'}${onePlace.format(Math.abs(percent))}`
    return `${name} ${money(level)} (${away} %)`
  }
  return [
    ...(plan.stop ? [chip(stopName(plan), plan.stop.price)] : []),
    ...(plan.target === null ? [] : [chip(PART_NAMES.target, plan.target)]),
  ]
}

/** "stop loss $216.58, take profit $250.00". */
export const levelWords = (plan: Pick<Plan, 'stop' | 'target'>): string =>
  [
    plan.stop && `${stopName(plan).toLowerCase()} ${money(plan.stop.price)}`,
    plan.target !== null && `${PART_NAMES.target.toLowerCase()} ${money(plan.target)}`,
  ]
    .filter(Boolean)
    .join(', ')

export const unplanned = (
  side: Plan['side'],
  quantity: number,
  average: number,
  price: number | null,
): Plan => ({
  side,
  quantity,
  average,
  best: price ?? average,
  stop: null,
  target: null,
  trailing: false,
  breakEven: false,
  atBroker: null,
  keptHere: [],
  price: price === null ? null : { price, at: '' },
  risk: null,
  worksInExtendedHours: false,
})

export interface ChartLevel {
  price: number
  title: string
  kind: 'entry' | 'stop' | 'target'
}

export const chartLevels = (plan: Plan): ChartLevel[] => [
  { price: plan.average, title: 'Entry', kind: 'entry' },
  ...(plan.stop ? [{ price: plan.stop.price, title: stopName(plan), kind: 'stop' as const }] : []),
  ...(plan.target === null
    ? []
    : [{ price: plan.target, title: PART_NAMES.target, kind: 'target' as const }]),
]

/**
 * The exit of a signal in a question; null without levels, or if its position is not open.
 *
 * @param last dollars a share of the last trade; null while unknown
 */
export function expectedLevels(
  signal: SignalDetail,
  account: Account | undefined,
  last: number | null,
): Planned | null {
  const { id: signalId, symbol, protection: terms, plan } = signal
  if (!terms || !plan) return null
  return {
    signalId,
    symbol,
    terms,
    plan,
    price: last ?? plan.price?.price ?? null,
    isReal: isRealMoney(account),
  }
}
