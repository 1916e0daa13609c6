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
} from './decimal.ts'

/**
 * How an account has done. Money and percentages are exact decimals, rounded at the end to four places; the Sharpe
 * ratio alone is a statistic and computed in floating point.
 *
 * Deposits and withdrawals are not known here: brokers report balances, not why they changed. Money paid in
 * therefore counts as gain and money taken out as loss.
 */
export interface Performance {
  /**
   * Change of the equity from the first to the last day, in percent: the daily returns multiplied, which is the
   * time-weighted return as long as nothing was paid in or out. Null with fewer than two days.
   */
  returnPercent: Decimal | null
  /** Deepest fall of the equity below an earlier high, in percent of that high. Null with fewer than two days. */
  maxDrawdownPercent: Decimal | null
  /** See {@link sharpeRatio}. */
  sharpe: number | null
}

/** Equity at the end of one day of the exchange, in dollars. */
export interface EquityPoint {
  /** YYYY-MM-DD. */
  date: string
  equity: Decimal
}

/** The figures that count of a closed round trip. */
export interface TradeResult {
  /** Dollars, after fees. */
  realisedPnl: Decimal
}

/** The results of closed round trips; `best` and `worst` are the first of several that brought the same. */
export interface TradeFigures<T extends TradeResult> {
  trades: number
  /** Dollars, after fees. */
  realisedPnl: Decimal
  /** Percent of the trades that brought a profit; null without any. */
  winRate: Decimal | null
  /** Dollars won for each dollar lost; null when nothing was lost. */
  profitFactor: Decimal | null
  best: T | null
  worst: T | null
}

/** Decimals of every ratio and percentage of an account. */
export const RATIO_PLACES = 4
/** Decimals to which divisions are carried before they are rounded. */
const EXACT_PLACES = 20
/** Sessions in a year, by which daily figures are annualised. */
const SESSIONS_A_YEAR = 252
/** Equal returns differ in their last binary digits: below this their deviation is none. */
const NO_DEVIATION = 1e-12

/** `part` in percent of `whole`, which is not zero. */
export const percentOf = (part: Decimal, whole: Decimal): Decimal => ratio(multiply(part, '100'), whole)

/** Percent of the trades that brought a profit; null without any trade. */
export const winRate = (wins: number, trades: number): Decimal | null =>
  trades === 0 ? null : percentOf(`${wins}`, `${trades}`)

/** Dollars won for each dollar lost; null when nothing was lost. */
export const profitFactor = (won: Decimal, lost: Decimal): Decimal | null =>
  isZero(lost) ? null : ratio(won, lost)

/** The figures of the daily equity. Days come in order; one that is missing lies within the change over it. */
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

/** The results of closed trades, in whatever order they come. */
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

/**
 * The Sharpe ratio of daily returns, annualised by the square root of 252, with a risk-free rate of zero and the
 * sample's standard deviation (William F. Sharpe, "The Sharpe Ratio", 1994). Null with fewer than two returns, or
 * when they do not deviate at all.
 */
export function sharpeRatio(returns: readonly number[]): number | null {
  if (returns.length < 2) return null
  const mean = sum(returns) / returns.length
  const deviation = Math.sqrt(sum(returns.map((value) => (value - mean) ** 2)) / (returns.length - 1))
  if (deviation < NO_DEVIATION) return null
  return Number(((mean / deviation) * Math.sqrt(SESSIONS_A_YEAR)).toFixed(RATIO_PLACES))
}

/**
 * The Sortino ratio of the results of days, annualised by the square root of 252, against a target of zero: their mean over
 * the root of the mean square of the losses alone (Frank A. Sortino, "Downside risk", 1991). Days without a result count as
 * zero. Null with fewer than two days, or without a loss.
 *
 * @param results of the days that have one, in dollars
 * @param days all days of the exchange among which they lie
 */
export function sortinoRatio(results: readonly number[], days: number): number | null {
  const count = Math.max(days, results.length)
  const losses = sum(results.map((result) => Math.min(result, 0) ** 2))
  if (count < 2 || losses === 0) return null
  const downside = Math.sqrt(losses / count)
  return Number(((sum(results) / count / downside) * Math.sqrt(SESSIONS_A_YEAR)).toFixed(RATIO_PLACES))
}

/** An account has a return from the first day on on which there was anything in it. */
function sinceFunded(equities: readonly Decimal[]): Decimal[] {
  const funded = equities.findIndex(isPositive)
  return funded < 0 ? [] : equities.slice(funded)
}

/** As parts of one. A day after one that ended with nothing has none. */
const dailyReturns = (equities: readonly Decimal[]): number[] =>
  equities.flatMap((equity, day) => {
    const before = equities[day - 1]
    return before === undefined || !isPositive(before) ? [] : [Number(equity) / Number(before) - 1]
  })

/** Equities begin with a positive one, so that every high is positive. */
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

/** `a` over `b`, which is not zero. */
export const ratio = (a: Decimal, b: Decimal): Decimal => round(divideDown(a, b, EXACT_PLACES), RATIO_PLACES)

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
