import { useQuery } from '@tanstack/react-query'
import type { Quote } from '#client/types.ts'
import { ask } from '../connection/ask.ts'

/** Milliseconds between two questions for prices; the service asks the broker once for all who look. */
export const QUOTES_READ_EVERY_MS = 5_000
/** Symbols in one question. */
export const QUOTES_AT_ONCE = 50

/** What the market pays and asks now, by symbol, and when the broker told. */
export function useQuotes(symbols: readonly string[], accountId?: string) {
  const asked = symbols.slice(0, QUOTES_AT_ONCE).toSorted().join(',')
  return useQuery({
    queryKey: ['quotes', asked, accountId ?? ''],
    queryFn: async () => {
      const { body } = await ask('GET /api/v1/market/quotes', {
        query: { symbols: asked, ...(accountId !== undefined && { accountId }) },
      })
      return {
        asOf: body.data.asOf,
        quotes: new Map<string, Quote>(body.data.quotes.map((quote) => [quote.symbol, quote])),
      }
    },
    enabled: asked !== '',
    refetchInterval: QUOTES_READ_EVERY_MS,
    retry: false,
  })
}
