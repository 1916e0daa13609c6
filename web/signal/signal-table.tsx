import { Link } from '@tanstack/react-router'
import type { Account, Signal, Strategy } from '#client/types.ts'
import { useStore } from '../connection/store.ts'
import { Direction } from '../parts/direction.tsx'
import { settings } from '../parts/settings.ts'
import { priceWords } from '../words/order.ts'
import { headline, isBuy, modeOf } from '../words/signal.ts'
import { groupSizes } from './group.ts'
import { StatusChip } from './status-chip.tsx'
import { shortTime, ZONES, type Zone } from '../words/times.ts'
import { detail } from '../words/status.ts'
import { Live } from '../parts/account.tsx'

interface Props {
  signals: readonly Signal[]
  accounts: ReadonlyMap<string, Account>
  strategies: readonly Strategy[]
  now: number
  /** The rows belong to the earlier filters, while the new ones load. */
  isOld: boolean
}

/** One page of signals: a table at a desk, two lines a signal on a phone. */
export function SignalTable({ signals, accounts, strategies, now, isOld }: Props) {
  const { zone } = useStore(settings)
  const sizes = groupSizes(signals)
  return (
    <div
      aria-busy={isOld}
      className={`overflow-clip rounded-card border border-line bg-surface ${isOld ? 'text-muted' : ''}`}
    >
      <table className="w-full table-fixed text-left max-desk:block">
        <caption className="sr-only">Signals</caption>
        <thead className="border-b border-line text-xs text-muted max-desk:sr-only">
          <tr>
            <Head name="Signal" className="desk:w-[26%]" />
            <Head name="Account" className="desk:w-[18%]" />
            <Head name="Status" className="desk:w-44" />
            <Head name="Details" />
            <Head name={`Received, ${ZONES[zone]}`} className="text-right desk:w-40" />
          </tr>
        </thead>
        <tbody className="max-desk:block">
          {signals.map((signal) => (
            <Row
              key={signal.id}
              signal={signal}
              account={accounts.get(signal.accountId)}
              strategy={strategies.find(({ id }) => id === signal.strategyId)}
              groupSize={sizes.get(signal.groupId ?? '')}
              now={now}
              zone={zone}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Head = ({ name, className = '' }: { name: string; className?: string }) => (
  <th scope="col" className={`px-4 py-2 font-medium ${className}`}>
    {name}
  </th>
)

interface RowProps {
  signal: Signal
  account: Account | undefined
  strategy: Strategy | undefined
  /** Accounts of its group in this list; undefined without a group. */
  groupSize: number | undefined
  now: number
  zone: Zone
}

const CELL = 'desk:px-4 desk:py-2 min-w-0'

const Row = ({ signal, account, strategy, groupSize, now, zone }: RowProps) => (
  <tr
    data-mode={modeOf(account)}
    className="relative border-line not-last:border-b hover:bg-sunken has-focus-visible:bg-sunken max-desk:grid max-desk:grid-cols-[minmax(0,1fr)_auto] max-desk:items-center max-desk:gap-x-3 max-desk:gap-y-0.5 max-desk:px-4 max-desk:py-3"
  >
    <th scope="row" className={`${CELL} font-normal`}>
      <Link
        to="/signals/$id"
        params={{ id: signal.id }}
        className="flex min-w-0 items-center gap-2 font-bold after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-text"
      >
        <Direction isBuy={isBuy(signal)} />
        <span className="min-w-0 truncate">{headline(signal)}</span>
      </Link>
      <span className="block truncate text-xs text-muted max-desk:hidden">{priceWords(signal)}</span>
    </th>
    <td className={`${CELL} max-desk:hidden`}>
      <span className="block truncate">
        {modeOf(account) === 'live' && <Live />}
        {account?.name ?? 'unknown account'}
      </span>
      <span className="block truncate text-xs text-muted">
        {strategy?.name}
        {strategy !== undefined && groupSize !== undefined && ' · '}
        {groupSize !== undefined && signal.groupId !== null && (
          <Link to="/signals" search={{ group: signal.groupId }} className="relative underline">
            one message, {groupSize} accounts
          </Link>
        )}
      </span>
    </td>
    <td className={`${CELL} max-desk:text-right`}>
      <StatusChip signal={signal} />
    </td>
    <td className={`${CELL} text-muted max-desk:text-xs`}>
      <span className="line-clamp-2 wrap-break-word">
        {modeOf(account) === 'live' && <Live className="desk:hidden" />}
        {detail(signal, now, zone)}
      </span>
    </td>
    <td className={`${CELL} text-right text-muted max-desk:text-xs`}>
      <time dateTime={signal.createdAt}>{shortTime(signal.createdAt, now, zone)}</time>
    </td>
  </tr>
)
