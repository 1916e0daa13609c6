import { useAccounts } from '../records/accounts.ts'
import { isRealMoney } from '../words/signal.ts'
import { Select } from './field.tsx'
import type { Column } from './table.tsx'

/** Mark of real money, in its accent. */
export const Live = ({ className = '' }: { className?: string }) => (
  <b data-mode="live" className={`font-bold text-accent ${className}`}>
    LIVE ·{' '}
  </b>
)

/** Name of an account, with a mark for real money. */
export function AccountName({ id }: { id: string }) {
  const account = useAccounts().get(id)
  return (
    <>
      {isRealMoney(account) && <Live />}
      {account?.name ?? 'removed account'}
    </>
  )
}

export function useAccountColumn<Row extends { accountId: string }>(): readonly Column<Row>[] {
  const { size } = useAccounts()
  return size > 1
    ? [{ name: 'Account', line: 'ellipsis', of: ({ accountId }) => <AccountName id={accountId} /> }]
    : []
}

interface Props {
  value: string | undefined
  choose: (id: string) => void
  /** Name of the empty choice; without it an account is required. */
  all?: string
  className?: string
}

export function AccountSelect({ value = '', choose, all, className = '' }: Props) {
  const accounts = Array.from(useAccounts().values(), ({ id, name }) => [id, name] as const)
  const options = all === undefined ? accounts : [['', all] as const, ...accounts]
  return <Select label="Account" {...{ value, choose, options, className }} />
}
