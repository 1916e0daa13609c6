import type { Strategy, Trade } from '#client/types.ts'
import { money, number } from '../words/figures.ts'
import { Gain } from '../parts/gain.tsx'
import { Chip } from '../parts/panel.tsx'
import type { Column } from '../parts/table.tsx'
import { bothTimes } from '../words/times.ts'
import { AccountName } from '../parts/account.tsx'
import { SymbolLink } from '../parts/symbol-link.tsx'

interface Known {
  strategies: readonly Strategy[] | undefined
  now: number
  /** On the page of their own symbol it is not said again. */
  withSymbol?: boolean
}

const SIDES = { LONG: 'Long', SHORT: 'Short' } as const satisfies Record<Trade['side'], string>

/** What of a round trip stands in its row. */
export const tradeColumns = ({ strategies, now, withSymbol = true }: Known): Column<Trade>[] => [
  {
    name: 'Trade',
    place: 'first',
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
  { name: 'In', isFigure: true, of: ({ entryPrice }) => money(entryPrice) },
  { name: 'Out', isFigure: true, of: ({ exitPrice }) => (exitPrice === null ? '–' : money(exitPrice)) },
  {
    name: 'Result',
    isFigure: true,
    place: 'lead',
    of: ({ realisedPnl }) => (realisedPnl === null ? <Chip>open</Chip> : <Gain amount={realisedPnl} />),
  },
  {
    name: '%',
    isFigure: true,
    place: 'tail',
    of: ({ realisedPnlPercent }) => (realisedPnlPercent === null ? '' : <Gain rate={realisedPnlPercent} />),
  },
  { name: 'Fees', isFigure: true, of: ({ fees }) => money(fees) },
  { name: 'Opened', place: 'second', of: ({ entryAt }) => bothTimes(entryAt, now) },
  { name: 'Closed', of: ({ exitAt }) => (exitAt === null ? '–' : bothTimes(exitAt, now)) },
  {
    name: 'From',
    of: ({ strategyId, signalId }) =>
      strategies?.find(({ id }) => id === strategyId)?.name ??
      (strategyId !== null ? 'a removed strategy' : signalId !== null ? 'a signal' : 'no signal'),
  },
  { name: 'Account', of: ({ accountId }) => <AccountName id={accountId} /> },
]
