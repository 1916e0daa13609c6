import { useQuery } from '@tanstack/react-query'
import { HOUR_MS } from '#domain/time/instants.ts'
import { dataOf } from '../connection/ask.ts'
import { useQuiet } from '../connection/quiet.ts'
import { marketState, type MarketState } from '../words/market.ts'
import { useAccounts } from './accounts.ts'

/** Milliseconds between two reads; the calendar reaches two weeks ahead. */
const SESSIONS_READ_EVERY_MS = 12 * HOUR_MS

/** State of the market by the calendar of the first account's broker; null while unknown. */
export function useMarketState(now: number): MarketState | null {
  // The subject of the page is read first.
  const isQuiet = useQuiet()
  // Without an account there is no broker to ask.
  const hasAccount = useAccounts().size > 0
  const { data } = useQuery({
    enabled: isQuiet && hasAccount,
    queryKey: ['market sessions'],
    queryFn: async () => (await dataOf('GET /api/v1/market/sessions')).sessions,
    staleTime: SESSIONS_READ_EVERY_MS,
    refetchInterval: SESSIONS_READ_EVERY_MS,
    retry: false,
  })
  return data ? marketState(data, now) : null
}
