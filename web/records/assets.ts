import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ListedAsset } from '#client/types.ts'
import { HOUR_MS } from '#domain/time/instants.ts'
import { dataOf } from '../connection/ask.ts'
import { useSettled } from '../parts/time.ts'

/** Most characters that the service searches for. */
export const LONGEST_TYPED_NAME = 60

interface Search {
  found: readonly ListedAsset[]
  /** Whether the results belong to this text, not to an earlier one. */
  isCurrent: boolean
  problem: Error | null
}

/**
 * Shares and ETFs by symbol prefix or company name, once the text is typed.
 *
 * @param accountId account whose broker lists them; the first account if absent
 */
export function useAssetSearch(
  text: string,
  { accountId, isWanted = true }: { accountId?: string; isWanted?: boolean } = {},
): Search {
  const wanted = text.trim().slice(0, LONGEST_TYPED_NAME)
  const search = useSettled(wanted)
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['assets', search, accountId ?? ''],
    queryFn: async () => {
      const query = { search, ...(accountId !== undefined && { accountId }) }
      return (await dataOf('GET /api/v1/assets', { query })).assets
    },
    enabled: isWanted && search !== '' && accountId !== '',
    placeholderData: keepPreviousData,
    staleTime: HOUR_MS,
    retry: false,
  })
  const isCurrent = search === wanted && !isPlaceholderData
  return { found: wanted === '' ? [] : (data ?? []), isCurrent, problem: isCurrent ? error : null }
}
