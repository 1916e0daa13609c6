import { Warning } from '../parts/notice.tsx'
import { useAccounts } from '../records/accounts.ts'
import type { Tried } from './tried.ts'

/** The other accounts that would not take it: the rest of a dry run is of the first account. */
export function RefusedIn({ of }: { of: NonNullable<Tried['refusedIn']> }) {
  const accounts = useAccounts()
  return of.map(({ accountId, message }) => (
    <Warning key={accountId}>{`Not in ${accounts.get(accountId)?.name ?? accountId}: ${message}`}</Warning>
  ))
}
