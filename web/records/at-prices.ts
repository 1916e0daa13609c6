import type { Position, Quote, Routes } from '#client/types.ts'

/** Prices as the stream told them last. */
export interface LivePrice extends Quote {
  /** When the broker told them. */
  asOf: string
  /** The broker tells of each change by itself; otherwise it is asked every few seconds. */
  isStreamed: boolean
}
/** By symbol, and then by the account whose broker told. */
export type LivePrices = ReadonlyMap<string, ReadonlyMap<string, LivePrice>>
/** A position, and the dollars a share from which its result of today counts; null where that is not known. */
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

/** The price of a symbol at the broker of an account, or at whichever told last. */
export function priceOf(prices: LivePrices, symbol: string, accountId?: string): LivePrice | undefined {
  const told = prices.get(symbol)
  if (accountId !== undefined) return told?.get(accountId)
  return [...(told?.values() ?? [])].toSorted((a, b) => b.asOf.localeCompare(a.asOf))[0]
}

/** The position at the price of this moment, where the stream has told one since the broker was asked for the position. */
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
    // That of a short position is below zero, and rises with its gain as well.
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

/** Dollars that positions have gained from one look to another one, of the same shares. */
const gainBetween = (before: readonly Position[], after: readonly Position[]): number =>
  after.reduce((sum, one) => sum + one.unrealisedPnl, 0) -
  before.reduce((sum, one) => sum + one.unrealisedPnl, 0)

/** The answer to GET /positions after its positions have gained: their shares are the same. */
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
 * Sums of accounts at the prices of this moment.
 *
 * @param positions of these accounts, as they were when the sums were
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
