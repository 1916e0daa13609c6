import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Quote } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { useIsLive } from '../connection/live.ts'
import { lookAt } from '../connection/looked-at.ts'
import { useStore } from '../connection/store.ts'
import { priceOf } from './at-prices.ts'
import { livePrices } from './live-prices.ts'

/** Milliseconds between two reads of prices that the stream does not report. */
const QUOTES_READ_EVERY_MS = 15_000
/** Symbols in one request. */
const QUOTES_AT_ONCE = 50

interface Quotes {
  quotes: ReadonlyMap<string, Quote>
  /** Time of the oldest quote. */
  asOf: string
  /** The broker reports each change. */
  isStreamed: boolean
}

/**
 * Bid and ask by symbol, polled as far as the stream does not report them.
 *
 * @param isFollowed the stream reports these symbols, because they are held or wait
 */
export function useQuotes(
  symbols: readonly string[],
  accountId?: string,
  { isFollowed = false, isWanted = true }: { isFollowed?: boolean; isWanted?: boolean } = {},
): { data: Quotes | undefined; isError: boolean } {
  const asked = [...new Set(symbols)].slice(0, QUOTES_AT_ONCE).toSorted().join(',')
  useEffect(() => (isFollowed || asked === '' ? undefined : lookAt(asked.split(','))), [asked, isFollowed])
  const prices = useStore(livePrices)
  const isLive = useIsLive()
  const names = asked === '' ? [] : asked.split(',')
  const streamed = names.flatMap((symbol) => priceOf(prices, symbol, accountId) ?? [])
  const isReported = isLive && streamed.length === names.length
  const { data, isError } = useQuery({
    queryKey: ['quotes', asked, accountId ?? ''],
    queryFn: async () => {
      const { body } = await ask('GET /api/v1/market/quotes', {
        query: { symbols: asked, ...(accountId !== undefined && { accountId }) },
      })
      return body.data
    },
    enabled: isWanted && names.length > 0 && !isReported,
    refetchInterval: QUOTES_READ_EVERY_MS,
    retry: false,
  })
  if (!data && streamed.length === 0) return { data: undefined, isError }
  const quotes = new Map([...(data?.quotes ?? []), ...streamed].map((quote) => [quote.symbol, quote]))
  const times = streamed.map(({ asOf }) => asOf)
  return {
    data: {
      quotes,
      asOf: [...(isReported || !data ? [] : [data.asOf]), ...times].toSorted()[0]!,
      isStreamed: isReported && streamed.every((one) => one.isStreamed),
    },
    isError: isError && !isReported,
  }
}
