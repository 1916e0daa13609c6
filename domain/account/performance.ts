import {
  add,
  compare,
  divideDown,
  isPositive,
  isZero,
  multiply,
  negate,
  round,
  subtract,
  type Decimal,
} from '../money/decimal.ts'

/** Brokers do not report deposits: they count as gain, withdrawals as loss. */
export interface Performance {
  /** Percent; time-weighted unless money was paid in or out. Null below two days. */
  returnPercent: Decimal | null
  /** Percent of an earlier high. Null below two days. */
  maxDrawdownPercent: Decimal | null
  sharpe: number | null
}

/** Dollars at the end of a day of the exchange. */
export interface EquityPoint {
  date: string
  equity: Decimal
}

export interface TradeResult {
  realisedPnl: Decimal
}

export interface TradeFigures<T extends TradeResult> {
  trades: number
  realisedPnl: Decimal
  winRate: Decimal | null
  profitFactor: Decimal | null
  best: T | null
  worst: T | null
}

export const RATIO_PLACES = 4
const EXACT_PLACES = 20
const SESSIONS_A_YEAR = 252
/** Equal returns differ in their last binary digits: a smaller deviation is none. */
const NO_DEVIATION = 1e-12

export const percentOf = (part: Decimal, whole: Decimal): Decimal => ratio(multiply(part, '100'), whole)

export const winRate = (wins: number, trades: number): Decimal | null =>
  trades === 0 ? null : percentOf(`${wins}`, `${trades}`)

export const profitFactor = (won: Decimal, lost: Decimal): Decimal | null =>
  isZero(lost) ? null : ratio(won, lost)

/** Days in order; changes span missing days. */
export function performanceOf(days: readonly EquityPoint[]): Performance {
  const equities = sinceFunded(days.map(({ equity }) => equity))
  const [first] = equities
  const last = equities.at(-1)
  if (first === undefined || last === undefined || equities.length < 2)
    return { returnPercent: null, maxDrawdownPercent: null, sharpe: null }
  return {
    returnPercent: percentOf(subtract(last, first), first),
    maxDrawdownPercent: maxDrawdownPercent(equities),
    sharpe: sharpeRatio(dailyReturns(equities)),
  }
}

export function tradeFigures<T extends TradeResult>(trades: readonly T[]): TradeFigures<T> {
  let profit: Decimal = '0'
  let loss: Decimal = '0'
  let wins = 0
  let [best = null, worst = null]: (T | null)[] = [trades[0] ?? null, trades[0] ?? null]
  for (const trade of trades) {
    const { realisedPnl } = trade
    if (isPositive(realisedPnl)) {
      profit = add(profit, realisedPnl)
      wins += 1
    } else loss = add(loss, negate(realisedPnl))
    if (best === null || compare(realisedPnl, best.realisedPnl) > 0) best = trade
    if (worst === null || compare(realisedPnl, worst.realisedPnl) < 0) worst = trade
  }
  return {
    trades: trades.length,
    realisedPnl: subtract(profit, loss),
    winRate: winRate(wins, trades.length),
    profitFactor: profitFactor(profit, loss),
    best,
    worst,
  }
}

/** Annualised by √252, risk-free rate zero, sample deviation (W. F. Sharpe, 1994). Null below two returns. */
export function sharpeRatio(returns: readonly number[]): number | null {
  if (returns.length < 2) return null
  const mean = sum(returns) / returns.length
  const deviation = Math.sqrt(sum(returns.map((value) => (value - mean) ** 2)) / (returns.length - 1))
  if (deviation < NO_DEVIATION) return null
  return Number(((mean / deviation) * Math.sqrt(SESSIONS_A_YEAR)).toFixed(RATIO_PLACES))
}

/**
 * Annualised by √252, target zero, root of the losses' mean square (F. A. Sortino, 1991). Null below two days, or
 * without a loss. `days`: all of the exchange; one without a result counts as zero.
 */
export function sortinoRatio(results: readonly number[], days: number): number | null {
  const count = Math.max(days, results.length)
  const losses = sum(results.map((result) => Math.min(result, 0) ** 2))
  if (count < 2 || losses === 0) return null
  const downside = Math.sqrt(losses / count)
  return Number(((sum(results) / count / downside) * Math.sqrt(SESSIONS_A_YEAR)).toFixed(RATIO_PLACES))
}

function sinceFunded(equities: readonly Decimal[]): Decimal[] {
  const funded = equities.findIndex(isPositive)
  return funded < 0 ? [] : equities.slice(funded)
}

/** Parts of one, not percent. */
const dailyReturns = (equities: readonly Decimal[]): number[] =>
  equities.flatMap((equity, day) => {
    const before = equities[day - 1]
    return before === undefined || !isPositive(before) ? [] : [Number(equity) / Number(before) - 1]
  })

/** The first equity must be positive. */
function maxDrawdownPercent(equities: readonly Decimal[]): Decimal {
  let high: Decimal = '0'
  let deepest: Decimal = '0'
  for (const equity of equities) {
    if (compare(equity, high) > 0) high = equity
    const fall = percentOf(subtract(high, equity), high)
    if (compare(fall, deepest) > 0) deepest = fall
  }
  return deepest
}

export const ratio = (a: Decimal, b: Decimal): Decimal => round(divideDown(a, b, EXACT_PLACES), RATIO_PLACES)

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
