import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Quote, Signal } from '#client/types.ts'
import { dataOf } from '../connection/ask.ts'
import { serviceNow } from '../connection/clock.ts'
import { useQuotes } from '../records/quotes.ts'

/** Milliseconds between two requests for the bars. */
const BARS_EVERY_MS = 60_000
const MINUTES_SHOWN = 60
/** Milliseconds after which a person looks at a card instead of passing it. */
const STAYS_MS = 3_000

/** Last prices by symbol, from the broker of the first waiting signal. */
export function useQueuePrices(signals: readonly Signal[], isWanted: boolean): ReadonlyMap<string, Quote> {
  const symbols = signals.map(({ symbol }) => symbol)
  const { data } = useQuotes(symbols, signals[0]?.accountId, { isFollowed: true, isWanted })
  return data?.quotes ?? NO_PRICES
}
const NO_PRICES: ReadonlyMap<string, Quote> = new Map()

/** Minute closes of the last hour, oldest first; not requested while a person only leafs through. */
export function useLastHour({ symbol, accountId }: Signal, isWanted: boolean): readonly number[] {
  const [isStaying, setStaying] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setStaying(true), STAYS_MS)
    return () => clearTimeout(timer)
  }, [])
  const { data } = useQuery({
    queryKey: ['bars', symbol, '1m', accountId],
    queryFn: async () => {
      const from = new Date(serviceNow() - MINUTES_SHOWN * 60_000).toISOString()
      const query = { symbol, accountId, timeframe: '1m', from } as const
      return (await dataOf('GET /api/v1/market/bars', { query })).bars
    },
    enabled: isWanted && isStaying,
    refetchInterval: BARS_EVERY_MS,
    retry: false,
  })
  return (data ?? []).map(({ close }) => close)
}

/** Percent of the price above the one at arrival; null if one is unknown. */
export const movedPercent = ({ heldPrice }: Signal, quote: Quote | undefined): number | null =>
  quote?.last == null || heldPrice === null || heldPrice === 0 ? null : (quote.last / heldPrice - 1) * 100
