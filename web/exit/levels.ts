import { decimal, type Decimal } from '#domain/money/decimal.ts'
import {
  firstStopPrice,
  restingOrder,
  stopNow,
  targetPrice,
  watchedParts,
  type Distance,
  type Level as DomainLevel,
  type LevelName,
  type ProtectedPosition,
  type Protection,
  type RestingOrder,
} from '#domain/exit/protection.ts'
import type { Signal } from '#client/types.ts'
import { likelyFill } from '#domain/risk/market-price.ts'
import { isReducing, type OrderSide } from '#domain/order/order.ts'
import { distanceWords, money, number } from '../words/figures.ts'
import { sideOpened, type SideAsked } from '../words/signal.ts'
import type { DistanceTerms, LevelTerms, ProtectionTerms } from './terms.ts'

type Side = ProtectedPosition['side']

/** The parts of an exit, as brokers' apps name them. */
export const PART_NAMES = {
  stop: 'Stop loss',
  target: 'Take profit',
  trail: 'Trailing stop',
  breakEven: 'Break-even',
} as const satisfies Record<LevelName, string>

const lists = new Intl.ListFormat('en-GB', { type: 'conjunction' })
/** "Take profit, trailing stop and break-even". */
export const namesOf = (parts: readonly LevelName[]): string =>
  lists.format(parts.map((part, index) => (index === 0 ? PART_NAMES[part] : PART_NAMES[part].toLowerCase())))

export interface LevelLine {
  part: LevelName
  /** "$216.58", or the distance while no price is known: "5 % below the entry". */
  at: string
  /** "$11.40 (5.00 %) below the price"; empty where it has no price yet. */
  away: string
  /** Effect of the level; empty for none. */
  note: string
}

export const distanceOf = (terms: DistanceTerms): Distance =>
  terms.percent == null ? { amount: decimal(terms.amount ?? 0) } : { percent: decimal(terms.percent) }
const levelOf = (terms: LevelTerms): DomainLevel =>
  terms.price == null ? distanceOf(terms) : { price: decimal(terms.price) }

const exitTerms = ({ stop, target, trail, breakEven, until }: ProtectionTerms): Protection => ({
  stop: stop
    ? { ...levelOf(stop), ...(stop.limitOffset != null && { limitOffset: decimal(stop.limitOffset) }) }
    : null,
  target: target ? levelOf(target) : null,
  trail: trail ? { ...distanceOf(trail), ...(trail.after && { after: distanceOf(trail.after) }) } : null,
  breakEven: breakEven ? distanceOf(breakEven) : null,
  until: until ?? 'closed',
})

/** A level in one line: "Stop loss about $98.00, $2.00 (2.00 %) below the entry: about $20.00 at risk". */
export const levelWords = ({ part, at, away, note }: LevelLine): string =>
  `${PART_NAMES[part]} ${at}${away === '' ? '' : `, ${away}`}${note === '' ? '' : `: ${note}`}.`

const twoPlaces = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** "$11.40 (5.00 %) below the price"; "at the price" where there is no distance. */
export function awayWords(level: number, from: number, name = 'the price'): string {
  const dollars = level - from
  if (Math.abs(dollars) < 0.00005) return `at ${name}`
  const percent = twoPlaces.format(Math.abs((dollars / from) * 100))
  return `${money(Math.abs(dollars))} (${percent} %) ${dollars < 0 ? 'below' : 'above'} ${name}`
}

export interface Expected {
  side: Side
  /** Dollars a share at which the entry is likely to fill; null while unknown. */
  entry: number | null
  /** Source of that price. */
  by: 'limit' | 'stop' | 'market'
  /** Null while unknown. */
  shares: number | null
}

/** Orders of a dry run: the first one, and the one that follows on the other side of zero. */
interface Orders {
  order: OpeningOrder | null
  follows: OpeningOrder | null
}
interface OpeningOrder {
  side: OrderSide
  /** Shares; null while unknown. */
  quantity: number | null
  limitPrice: number | null
  stopPrice: number | null
}

/** The order that opens a position; null if the orders only reduce, so that no exit begins. */
export const openingOf = ({ order, follows }: Orders): OpeningOrder | null =>
  follows ?? (order !== null && !isReducing(order.side) ? order : null)

/**
 * Basis of the resulting position's levels.
 *
 * @param order the order that opens it, {@link openingOf}; null while unknown
 * @param last dollars a share of the last trade; null while unknown
 */
export function expectedOf(
  {
    limitPrice: askedLimit,
    stopPrice: askedStop,
    ...signal
  }: SideAsked & Pick<Signal, 'limitPrice' | 'stopPrice'>,
  order: OpeningOrder | null,
  last: number | null,
): Expected {
  const side = order === null ? sideOpened(signal) : order.side === 'SELL_SHORT' ? 'SHORT' : 'LONG'
  const { limitPrice, stopPrice } = order ?? { limitPrice: askedLimit, stopPrice: askedStop }
  const price = (value: number | null): Decimal | null => (value === null ? null : decimal(value))
  const market = price(last)
  const entry = at(
    likelyFill(
      {
        action: side === 'LONG' ? 'openLong' : 'openShort',
        limitPrice: price(limitPrice),
        stopPrice: price(stopPrice),
      },
      { buyAt: market, sellAt: market },
    ),
  )
  const by = entry === limitPrice ? 'limit' : entry === stopPrice ? 'stop' : 'market'
  return { side, entry, by, shares: order?.quantity ?? null }
}

/** Price that levels count from before the fill, in words; empty if unknown. */
export const basisWords = ({ entry, by }: Expected): string =>
  entry === null
    ? ''
    : `Based on ${{ limit: 'the limit price', stop: 'the stop price', market: 'the last price' }[by]}, ${money(entry)}`

const at = (price: Decimal | null): number | null => (price === null ? null : Number(price))

const dollarsOf = (level: number, { entry, shares }: Expected): number | null =>
  entry === null || shares === null ? null : Math.abs(level - entry) * shares

export function resolvedLines(terms: ProtectionTerms, expected: Expected): LevelLine[] {
  const { side, entry } = expected
  const plan = exitTerms(terms)
  const position: ProtectedPosition = { side, average: decimal(entry ?? 0), fees: '0' }
  const [worse, better] = side === 'LONG' ? ['below', 'above'] : ['above', 'below']
  const lines: LevelLine[] = []
  const fixed = (part: 'stop' | 'target', level: LevelTerms, price: Decimal | null, note: string): void => {
    const known = level.price ?? (entry === null ? null : at(price))
    lines.push({
      part,
      at:
        known === null
          ? `${distanceWords(level)} ${part === 'stop' ? worse : better} the entry`
          : level.price == null
            ? `about ${money(known)}`
            : money(known),
      away: known === null || entry === null ? '' : awayWords(known, entry, 'the entry'),
      note,
    })
  }
  // A trail that counts from the fill may be closer than the stop.
  const first = entry === null ? null : stopNow(plan, position, position.average)
  const risk = first === null ? null : dollarsOf(Number(first.price), expected)
  const riskWords = risk === null ? '' : `about ${money(risk)} at risk`
  if (terms.stop) {
    const offset = terms.stop.limitOffset
    fixed(
      'stop',
      terms.stop,
      firstStopPrice(plan, position),
      [
        first?.by === 'trail' ? 'the trailing stop is closer at first' : riskWords,
        offset == null ? '' : `as a limit order, ${money(offset)} behind the stop: it may stay unfilled`,
      ]
        .filter(Boolean)
        .join('; '),
    )
  }
  if (terms.target) {
    const price = targetPrice(plan, position)
    const profit = terms.target.price != null || entry !== null ? dollarsOf(Number(price), expected) : null
    fixed('target', terms.target, price, profit === null ? '' : `about ${money(profit)} to gain`)
  }
  if (terms.trail) {
    const { after } = terms.trail
    lines.push({
      part: 'trail',
      at: `${distanceWords(terms.trail)} behind the best price`,
      away: first?.by === 'trail' ? `at first about ${money(Number(first.price))}` : '',
      note: [
        after ? `from a profit of ${distanceWords(after)} on` : 'from the fill on',
        first?.by === 'trail' ? riskWords : '',
      ]
        .filter(Boolean)
        .join('; '),
    })
  }
  if (terms.breakEven)
    lines.push({
      part: 'breakEven',
      at: `from a profit of ${distanceWords(terms.breakEven)}`,
      away: '',
      note: 'the stop then moves to the entry, plus fees',
    })
  return lines
}

/**
 * Risk and gain before fees: "Risks $120.00 · gains $240.00 · 2 R"; 1 R is the loss at the first stop. Empty without a
 * level or an entry price.
 */
export function resultWords(terms: ProtectionTerms, expected: Expected): string {
  const { side, entry, shares } = expected
  if (entry === null) return ''
  const plan = exitTerms(terms)
  const position: ProtectedPosition = { side, average: decimal(entry), fees: '0' }
  const distance = (level: Decimal | null): number | null =>
    level === null ? null : Math.abs(Number(level) - entry)
  const risk = distance(stopNow(plan, position, position.average)?.price ?? null)
  const gain = distance(targetPrice(plan, position))
  const dollars = (a: number | null): string =>
    a === null ? '' : shares === null ? `${money(a)} a share` : money(a * shares)
  return [
    risk === null ? '' : `Risks ${dollars(risk)}`,
    gain === null ? '' : `${risk === null ? 'Gains' : 'gains'} ${dollars(gain)}`,
    risk && gain ? `${number(Math.round((gain / risk) * 100) / 100)} R` : '',
  ]
    .filter(Boolean)
    .join(' · ')
}

/** Levels at the broker after the fill, and levels that the service keeps; empty for none. */
export interface Keepers {
  atBroker: string
  keptHere: string
}

const BOTH = 'Stop loss and take profit, as one order: the one that trades cancels the other'

/** All brokers that can be connected keep both. */
const ABILITIES = { oco: true, trailing: true } as const

export function plannedKeepers(terms: ProtectionTerms, { side, entry, shares }: Expected): Keepers {
  const plan = exitTerms(terms)
  const position: ProtectedPosition = { side, average: decimal(entry ?? 100), fees: '0' }
  const order = restingOrder(plan, position, position.average, {
    quantity: decimal(shares ?? 1),
    abilities: ABILITIES,
  })
  const here = watchedParts(plan, position, position.average, order)
  return {
    atBroker: order === null ? '' : AT_BROKER[order.orderType],
    keptHere: namesOf(here),
  }
}

/** Levels that each type of exit order keeps at the broker. */
export const AT_BROKER = {
  oco: BOTH,
  trailingStop: 'Trailing stop',
  stop: 'Stop loss',
  stopLimit: 'Stop loss, as a stop limit order',
  limit: 'Take profit',
} as const satisfies Record<RestingOrder['orderType'], string>

export const untilWords = ({ until }: ProtectionTerms): string =>
  until === 'session'
    ? 'Until the end of the session in which the entry fills'
    : 'As long as the position is open'
