import { readSymbol } from '#contract/values/values.ts'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { dataOf } from '../connection/ask.ts'
import { Problem } from '../connection/problem.ts'
import { useSettled } from '../parts/time.ts'
import { usePositions } from '../position/list.ts'
import { useAccounts } from '../records/accounts.ts'
import { useQuotes } from '../records/quotes.ts'
import { number } from '../words/figures.ts'
import type { Draft } from './draft.ts'
import type { Scene } from './scene.ts'

export function useScene({ symbol, accountId }: Draft): { scene: Scene; name: ReactNode } {
  const accounts = useAccounts()
  const { data: positions } = usePositions()
  const read = readSymbol(symbol.trim())
  const wanted = 'symbol' in read ? read.symbol : symbol.trim()
  const settled = useSettled(wanted)
  const isSymbol = settled === wanted && /^[A-Z][A-Z0-9.]*$/.test(settled)
  const isAsked = isSymbol && accountId !== ''
  const quote = useQuotes(isAsked ? [settled] : [], accountId).data?.quotes.get(wanted)
  const { data: asset, error } = useQuery({
    queryKey: ['asset', settled, accountId],
    queryFn: async () =>
      (await dataOf('GET /api/v1/assets/{symbol}', { path: { symbol: settled }, query: { accountId } }))
        .asset,
    enabled: isAsked,
    staleTime: 600_000,
    retry: false,
  })
  const position = positions?.positions.find((each) => each.accountId === accountId && each.symbol === wanted)
  const isUnknown = isSymbol && error instanceof Problem && error.code === 'ASSET_NOT_FOUND'
  const traits = asset && [
    asset.name,
    asset.exchange,
    !asset.tradable && 'not tradable',
    asset.fractionable && 'fractional',
    asset.shortable && (asset.easyToBorrow ? 'easy to borrow' : 'may be sold short'),
  ]
  const known = [...(isSymbol && traits ? traits : []), position && `${number(position.quantity)} held`]
  return {
    scene: {
      held: !positions
        ? null
        : !position
          ? 0
          : position.side === 'LONG'
            ? position.quantity
            : -position.quantity,
      quote,
      buyingPower: accounts.get(accountId)?.buyingPower ?? null,
    },
    name: (
      <p className={`text-xs wrap-anywhere empty:hidden ${isUnknown ? 'text-danger' : 'text-muted'}`}>
        {isUnknown ? `The broker has no asset ${settled}` : known.filter(Boolean).join(' · ')}
      </p>
    ),
  }
}
