import { useAccounts } from '../records/accounts.ts'
import { isRealMoney } from '../words/signal.ts'
import { Select } from './field.tsx'
import type { Column } from './table.tsx'

/** Stands before what is about real money, in its accent. */
export const Live = ({ className = '' }: { className?: string }) => (
  <b data-mode="live" className={`font-bold text-accent ${className}`}>
    LIVE ·{' '}
  </b>
)

/** An account by its name; one of real money is told apart. */
export function AccountName({ id }: { id: string }) {
  const account = useAccounts().get(id)
  return (
    <>
      {isRealMoney(account) && <Live />}
      {account?.name ?? 'removed account'}
    </>
  )
}

/** The account of a record, where the person has several. */
export function useAccountColumn<Row extends { accountId: string }>(): readonly Column<Row>[] {
  const { size } = useAccounts()
  return size > 1
    ? [{ name: 'Account', line: 'ellipsis', of: ({ accountId }) => <AccountName id={accountId} /> }]
    : []
}

interface Props {
  /** The account's id. */
  value: string | undefined
  choose: (id: string) => void
  /** Stands for no choice; without it an account has to be chosen. */
  all?: string
  className?: string
}

/** A choice of one of the person's accounts. */
export function AccountSelect({ value = '', choose, all, className = '' }: Props) {
  const accounts = Array.from(useAccounts().values(), ({ id, name }) => [id, name] as const)
  const options = all === undefined ? accounts : [['', all] as const, ...accounts]
  return <Select label="Account" {...{ value, choose, options, className }} />
}
