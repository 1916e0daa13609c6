import type { Account, Position, Routes } from '#client/types.ts'
import { markOld, queries } from '../connection/queries.ts'
import { withPositions, type Positions } from './at-prices.ts'
import { summedPositions, takePrices } from './live-prices.ts'

type Removed = { id: string; isRemoved: true }
type AccountSummary = Routes['GET /api/v1/accounts/{accountId}/summary']['answers'][200]

/** Query keys: figures of all accounts of the mode together, and of each. */
export const SUMMARY = ['summary', 'all']
export const ACCOUNT_SUMMARIES = ['summary', 'accounts']

/** Applies records of the stream to the cache, by event name. */
export const TAKEN_OVER = {
  quotes: (data: unknown) => takePrices(data as Parameters<typeof takePrices>[0]),
  figures(data: unknown) {
    const { summary, accounts: each } = data as { summary: object; accounts: AccountSummary[] }
    queries.setQueryData(SUMMARY, summary)
    summedPositions.set(queries.getQueryData<Positions>(['positions', ''])?.positions ?? null)
    const byId = new Map(each.map((one) => [one.accountId, one]))
    queries.setQueriesData<AccountSummary[]>({ queryKey: ACCOUNT_SUMMARIES }, (known) =>
      known?.map((one) => byId.get(one.accountId) ?? one),
    )
  },
  account(data: unknown) {
    const news = data as Account | Removed
    const known = queries.getQueryData<Account[]>(['accounts'])
    if ('isRemoved' in news || !known?.some(({ id }) => id === news.id)) return markOld(['accounts'])
    queries.setQueryData<Account[]>(
      ['accounts'],
      known.map((one) => (one.id === news.id ? news : one)),
    )
  },
  position(data: unknown) {
    const news = data as Position | Removed
    if ('isRemoved' in news) return markOld(['positions'])
    for (const [key, known] of queries.getQueriesData<Positions>({ queryKey: ['positions'] })) {
      const next = known && withPosition(known, news)
      if (next) queries.setQueryData(key, next)
      else if (known && (key[1] === '' || key[1] === news.symbol)) markOld(key)
    }
  },
} satisfies Record<string, (data: unknown) => void>

export const isRecords = (name: string): name is keyof typeof TAKEN_OVER => Object.hasOwn(TAKEN_OVER, name)

/** The positions with one at another price; null if its shares differ, or it is new. */
function withPosition(known: Positions, news: Position): Positions | null {
  const before = known.positions.find(({ id }) => id === news.id)
  const isSame =
    before?.quantity === news.quantity &&
    before.side === news.side &&
    before.avgCost === news.avgCost &&
    lastClose(before) === lastClose(news)
  if (!isSame) return null
  return withPositions(
    known,
    known.positions.map((one) => (one.id === news.id ? { ...one, ...news } : one)),
  )
}

/**
 * Last close in dollars a share, from the price and today's change; null if unknown. Another value means another day.
 */
const lastClose = ({ currentPrice, dayChange }: Position): string | null =>
  dayChange === null ? null : (currentPrice - dayChange).toFixed(2)
