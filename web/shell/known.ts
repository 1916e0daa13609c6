import { useQuery } from '@tanstack/react-query'
import { ask, dataOf } from '../connection/ask.ts'
import { useAccountList } from '../records/accounts.ts'
import { useMe } from '../records/person.ts'
import { PAGES, pagesFor } from './pages.ts'
import type { Known } from './choices.ts'

/** The newest signals, among which one is looked for by its id or its words. */
const NEWEST = 100

/** What can be looked for. It is read when the palette opens, and fills in while a person types. */
export function useKnown(): Known {
  const { data: me } = useMe()
  const { data: accounts = [] } = useAccountList()
  const { data: positions = [] } = useQuery({
    queryKey: ['positions', ''],
    queryFn: async () => (await ask('GET /api/v1/positions', { query: {} })).body,
    select: (body) => body.positions,
  })
  const { data: signals = [] } = useQuery({
    queryKey: ['signals', 'newest'],
    queryFn: async () => (await dataOf('GET /api/v1/signals', { query: { limit: NEWEST } })).signals,
  })
  return { me, pages: pagesFor(me, PAGES), accounts, positions, signals }
}
