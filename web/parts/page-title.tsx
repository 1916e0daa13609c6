import { useMe } from '../records/person.ts'

/** The title of a page's tab: the mode stands before it, so that a tab of real money is never taken for another. */
export function PageTitle({ name }: { name: string }) {
  const { data: me } = useMe()
  return <title>{`${me?.tradingMode === 'LIVE' ? '[LIVE] ' : ''}${name} · Durable Trader`}</title>
}
