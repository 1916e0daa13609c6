import { Link } from '@tanstack/react-router'
import type { Strategy, Trade } from '#client/types.ts'
import { money, number } from '../words/figures.ts'
import { Gain, PhoneGain } from '../parts/gain.tsx'
import { Chip } from '../parts/panel.tsx'
import type { Column } from '../parts/table.tsx'
import { ListTime } from '../parts/list-time.tsx'
import { AccountName } from '../parts/account.tsx'
import { SymbolLink } from '../parts/symbol-link.tsx'

interface Known {
  strategies: readonly Strategy[] | undefined
  now: number
  /** False on the page of the symbol itself. */
  withSymbol?: boolean
}

const SIDES = { LONG: 'Long', SHORT: 'Short' } as const satisfies Record<Trade['side'], string>

/** Touch targets are 44 px high; the line on the phone contributes 20 px. */
const LINK = 'inline-flex min-h-11 items-center underline cards:-my-3 desk:min-h-6'

const OrderLinks = ({ ids, name }: { ids: readonly string[]; name: string }) =>
  ids.map((order, at) => (
    <Link key={order} to="/orders/$order" params={{ order }} className={LINK}>
      {name}
      {ids.length > 1 && ` ${at + 1}`}
      <span className="sr-only">, the order</span>
    </Link>
  ))

export const tradeColumns = ({ strategies, now, withSymbol = true }: Known): Column<Trade>[] => [
  {
    name: 'Trade',
    place: 'first',
    line: 'onPhone',
    sortName: 'symbol',
    of: ({ side, quantity, symbol }) => (
      <>
        {SIDES[side]} {number(quantity)}
        {withSymbol && (
          <>
            {' '}
            <SymbolLink symbol={symbol} />
          </>
        )}
      </>
    ),
  },
  { name: 'In', isFigure: true, place: 'desk', of: ({ entryPrice }) => money(entryPrice) },
  {
    name: 'Out',
    isFigure: true,
    place: 'desk',
    of: ({ exitPrice }) => (exitPrice === null ? '–' : money(exitPrice)),
  },
  {
    name: 'Result',
    sortName: 'realisedPnl',
    isFigure: true,
    place: 'lead',
    of: ({ realisedPnl, realisedPnlPercent }) =>
      realisedPnl === null ? (
        <Chip>open</Chip>
      ) : (
        <>
          <Gain amount={realisedPnl} className="cards:hidden" />
          <PhoneGain amount={realisedPnl} rate={realisedPnlPercent} />
        </>
      ),
  },
  {
    name: '%',
    sortName: 'realisedPnlPercent',
    isFigure: true,
    place: 'desk',
    of: ({ realisedPnlPercent }) => (realisedPnlPercent === null ? '' : <Gain rate={realisedPnlPercent} />),
  },
  { name: 'Fees', isFigure: true, place: 'desk', of: ({ fees }) => money(fees) },
  {
    name: 'Opened',
    sortName: 'entryAt',
    place: 'second',
    line: 'onPhone',
    of: ({ entryAt, entryPrice, exitPrice }) => (
      <>
        <span className="roomy:hidden">
          {money(entryPrice)} → {exitPrice === null ? 'open' : money(exitPrice)} ·{' '}
        </span>
        <span className="whitespace-nowrap">
          <ListTime at={entryAt} now={now} />
        </span>
      </>
    ),
  },
  {
    name: 'Closed',
    place: 'desk',
    sortName: 'exitAt',
    line: 'whole',
    of: ({ exitAt }) => (exitAt === null ? '–' : <ListTime at={exitAt} now={now} />),
  },
  {
    name: 'From',
    place: 'tail',
    of: ({ strategyId, signalId }) => {
      const name =
        strategies?.find(({ id }) => id === strategyId)?.name ??
        (strategyId !== null ? 'a removed strategy' : signalId !== null ? 'a signal' : 'no signal')
      return signalId === null ? (
        name
      ) : (
        <Link to="/signals/$id" params={{ id: signalId }} className={LINK}>
          <span className="cards:max-w-24 cards:truncate">{name}</span>
        </Link>
      )
    },
  },
  {
    name: 'Orders',
    place: 'desk',
    of: ({ entryOrderIds, exitOrderIds }) => (
      <span className="inline-flex gap-3">
        <OrderLinks ids={entryOrderIds} name="in" />
        <OrderLinks ids={exitOrderIds} name="out" />
      </span>
    ),
  },
  { name: 'Account', place: 'desk', of: ({ accountId }) => <AccountName id={accountId} /> },
]
