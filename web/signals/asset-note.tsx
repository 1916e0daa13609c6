import { useQuery } from '@tanstack/react-query'
import { dataOf } from '../connection/ask.ts'
import { Problem } from '../connection/problem.ts'
import { money } from '../words/figures.ts'
import { useSettled } from '../parts/use-settled.ts'

const PRICE_EVERY_MS = 10_000

/** What the broker knows of a symbol: its price, its name, where it trades, and what may be done with it. */
export function AssetNote({ symbol, accountId }: { symbol: string; accountId: string }) {
  const wanted = symbol.trim().toUpperCase()
  const settled = useSettled(wanted)
  const { data, error } = useQuery({
    queryKey: ['asset', settled, accountId],
    queryFn: async () =>
      (await dataOf('GET /api/v1/assets/{symbol}', { path: { symbol: settled }, query: { accountId } }))
        .asset,
    enabled: settled !== '' && accountId !== '',
    staleTime: 600_000,
    retry: false,
  })
  const { data: quote } = useQuery({
    queryKey: ['quote', settled, accountId],
    queryFn: async () =>
      (await dataOf('GET /api/v1/market/quotes', { query: { symbols: settled, accountId } })).quotes[0] ??
      null,
    enabled: data !== undefined,
    refetchInterval: PRICE_EVERY_MS,
    retry: false,
  })
  if (wanted === '' || wanted !== settled) return null
  if (error instanceof Problem && error.code === 'ASSET_NOT_FOUND')
    return <p className="text-xs text-danger">The broker knows no {settled}</p>
  if (!data) return null
  const traits = [
    data.tradable ? 'tradable' : 'not tradable',
    data.fractionable && 'in parts of a share too',
    data.shortable && (data.easyToBorrow ? 'easy to borrow' : 'may be sold short'),
  ]
  return (
    <p className="text-xs text-muted wrap-anywhere">
      {quote?.last != null && <b className="font-medium text-text">{money(quote.last)} now · </b>}
      <b className="font-medium text-text">{data.name}</b> · {data.exchange} ·{' '}
      {traits.filter(Boolean).join(', ')}
    </p>
  )
}
