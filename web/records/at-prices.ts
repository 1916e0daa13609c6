import type { Position, Quote, Routes } from '#client/types.ts'

export interface LivePrice extends Quote {
  /** Time of the broker's report. */
  asOf: string
  /** The broker reports each change; otherwise it is asked every few seconds. */
  isStreamed: boolean
}
/** Prices by symbol, then by the account whose broker reported them. */
export type LivePrices = ReadonlyMap<string, ReadonlyMap<string, LivePrice>>
/** A position, with the dollars a share from which today's result counts; null if unknown. */
export type ListedPosition = Position & { dayReference: number | null }
type Notified = Routes['GET /api/v1/positions']['answers'][200]
export interface Positions {
  positions: ListedPosition[]
  summary: Notified['summary']
}

export const listed = ({ positions, summary, dayReferences }: Notified): Positions => ({
  positions: positions.map((one) => ({ ...one, dayReference: dayReferences[one.id] ?? null })),
  summary,
})
type Summary = Routes['GET /api/v1/dashboard/summary']['answers'][200]['data']

export function withPrices(
  prices: LivePrices,
  { accountIds, quotes }: { accountIds: readonly string[]; quotes: readonly LivePrice[] },
): LivePrices {
  const next = new Map(prices)
  for (const quote of quotes)
    next.set(
      quote.symbol,
      new Map([
        ...(prices.get(quote.symbol) ?? []),
        ...accountIds.map((accountId) => [accountId, quote] as const),
      ]),
    )
  return next
}

/** The price of a symbol at an account's broker, or the newest of all brokers. */
export function priceOf(prices: LivePrices, symbol: string, accountId?: string): LivePrice | undefined {
  const told = prices.get(symbol)
  if (accountId !== undefined) return told?.get(accountId)
  return [...(told?.values() ?? [])].toSorted((a, b) => b.asOf.localeCompare(a.asOf))[0]
}

/** The position at its live price, if the stream has reported one since the broker's last answer. */
export function atLivePrice<P extends Position>(position: P, prices: LivePrices): P {
  const { last = null, asOf = '' } = priceOf(prices, position.symbol, position.accountId) ?? {}
  if (last === null || asOf <= position.lastUpdated || last === position.currentPrice) return position
  const moved = last - position.currentPrice
  const gain = moved * position.quantity * (position.side === 'LONG' ? 1 : -1)
  const unrealisedPnl = cents(position.unrealisedPnl + gain)
  const cost = position.avgCost * position.quantity
  const dayChange = position.dayChange === null ? null : cents(position.dayChange + moved)
  return {
    ...position,
    currentPrice: last,
    lastUpdated: asOf,
    // The value of a short position is below zero, and rises with its gain as well.
    marketValue: cents(position.marketValue + gain),
    unrealisedPnl,
    unrealisedPnlPercent: cost > 0 ? (unrealisedPnl / cost) * 100 : position.unrealisedPnlPercent,
    dayChange,
    dayChangePercent:
      dayChange !== null && last > dayChange
        ? (dayChange / (last - dayChange)) * 100
        : position.dayChangePercent,
  }
}

const cents = (amount: number): number => Math.round(amount * 100) / 100

/** Dollars that the same shares have gained between two reads. */
const gainBetween = (before: readonly Position[], after: readonly Position[]): number =>
  after.reduce((sum, one) => sum + one.unrealisedPnl, 0) -
  before.reduce((sum, one) => sum + one.unrealisedPnl, 0)

/** The answer after its positions, with the same shares, have gained. */
export function withPositions(told: Positions, positions: Positions['positions']): Positions {
  const gain = gainBetween(told.positions, positions)
  const { summary } = told
  return {
    ...told,
    positions: [...positions],
    summary: {
      ...summary,
      totalMarketValue: cents(summary.totalMarketValue + gain),
      totalUnrealisedPnl: cents(summary.totalUnrealisedPnl + gain),
      totalDayChange: summary.totalDayChange === null ? null : cents(summary.totalDayChange + gain),
    },
  }
}

/**
 * Sums of accounts at live prices.
 *
 * @param positions of these accounts, as they were at the time of the sums
 */
export function sumsAtLivePrices<
  Sums extends Pick<Summary, 'equity' | 'marketValue' | 'dayPnl' | 'dayPnlPercent' | 'unrealisedPnl'> & {
    openToday?: number | null
  },
>(sums: Sums, positions: readonly Position[], prices: LivePrices): Sums {
  const change = gainBetween(
    positions,
    positions.map((position) => atLivePrice(position, prices)),
  )
  if (change === 0) return sums
  const dayPnl = sums.dayPnl === null ? null : cents(sums.dayPnl + change)
  const begin = sums.equity - (sums.dayPnl ?? 0)
  return {
    ...sums,
    equity: cents(sums.equity + change),
    marketValue: cents(sums.marketValue + change),
    unrealisedPnl: cents(sums.unrealisedPnl + change),
    ...(sums.openToday != null && { openToday: cents(sums.openToday + change) }),
    dayPnl,
    dayPnlPercent:
      dayPnl !== null && sums.dayPnlPercent !== null && begin > 0
        ? (dayPnl / begin) * 100
        : sums.dayPnlPercent,
  }
}
