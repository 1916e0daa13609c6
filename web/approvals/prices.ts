import { useQuery } from '@tanstack/react-query'
import type { Quote, Signal } from '#client/types.ts'
import { dataOf } from '../connection/ask.ts'
import { serviceNow } from '../connection/clock.ts'
import { QUOTES_AT_ONCE, QUOTES_READ_EVERY_MS } from '../records/quotes.ts'

/** Milliseconds between two questions for the bars. */
const BARS_EVERY_MS = 60_000
const MINUTES_SHOWN = 60

/** Last prices of what waits, by symbol. Asked of the account of the first that waits, as long as there is one. */
export function useQueuePrices(signals: readonly Signal[], isWanted: boolean): ReadonlyMap<string, Quote> {
  const symbols = [...new Set(signals.map(({ symbol }) => symbol))].toSorted().slice(0, QUOTES_AT_ONCE)
  const accountId = signals[0]?.accountId ?? ''
  const { data } = useQuery({
    queryKey: ['quotes', symbols.join(','), accountId],
    queryFn: async () => {
      const query = { symbols: symbols.join(','), accountId }
      return (await dataOf('GET /api/v1/market/quotes', { query })).quotes
    },
    enabled: isWanted && symbols.length > 0,
    refetchInterval: QUOTES_READ_EVERY_MS,
    retry: false,
  })
  return new Map((data ?? []).map((quote) => [quote.symbol, quote]))
}

/** Closing prices of the last hour's minutes, oldest first. */
export function useLastHour({ symbol, accountId }: Signal, isWanted: boolean): readonly number[] {
  const { data } = useQuery({
    queryKey: ['bars', symbol, '1m', accountId],
    queryFn: async () => {
      const from = new Date(serviceNow() - MINUTES_SHOWN * 60_000).toISOString()
      const query = { symbol, accountId, timeframe: '1m', from } as const
      return (await dataOf('GET /api/v1/market/bars', { query })).bars
    },
    enabled: isWanted,
    refetchInterval: BARS_EVERY_MS,
    retry: false,
  })
  return (data ?? []).map(({ close }) => close)
}

/** By how many percent the price lies above the one at arrival; null where one of them is not known. */
export const movedPercent = ({ heldPrice }: Signal, quote: Quote | undefined): number | null =>
  quote?.last == null || heldPrice === null || heldPrice === 0 ? null : (quote.last / heldPrice - 1) * 100
