import { X } from 'lucide-react'
import type { Position } from '#client/types.ts'
import type { ListedPosition } from '../records/at-prices.ts'
import { Button } from '../parts/button.tsx'
import { Gain, PhoneGain } from '../parts/gain.tsx'
import { Moving } from '../parts/moving.tsx'
import { SymbolLink } from '../parts/symbol-link.tsx'
import type { Column } from '../parts/table.tsx'
import { money, number } from '../words/figures.ts'
import { ExitCell } from './exit-cell.tsx'
import type { Cover } from './list.ts'
import { gainToday } from './today.ts'
import { SIDES } from './worth.ts'

interface Known {
  coverOf: ((position: Position) => Cover) | undefined
  now: number
}

/** Columns of a position's row; without `close` the row offers no action. */
export const positionColumns = (
  { coverOf, now }: Known,
  close?: (position: Position) => void,
): Column<ListedPosition>[] => [
  {
    name: 'Position',
    place: 'first',
    line: 'onPhone',
    sortName: 'symbol',
    of: ({ symbol, side, quantity, marketValue }) => (
      <>
        <SymbolLink symbol={symbol} />{' '}
        <span className="text-muted cards:text-sm">
          {number(quantity)} {SIDES[side]}
          <span className="max-desk:hidden roomy:hidden"> · {money(marketValue)}</span>
        </span>
      </>
    ),
  },
  { name: 'Cost', isFigure: true, place: 'desk', of: ({ avgCost }) => money(avgCost) },
  {
    name: 'Price',
    isFigure: true,
    place: 'tail',
    of: ({ currentPrice }) => <Moving value={currentPrice}>{money(currentPrice)}</Moving>,
  },
  {
    name: 'Value',
    sortName: 'value',
    isFigure: true,
    place: 'desk',
    of: ({ marketValue }) => money(marketValue),
  },
  {
    name: 'Unrealised',
    sortName: 'unrealised',
    isFigure: true,
    place: 'lead',
    of: ({ unrealisedPnl, unrealisedPnlPercent }) => (
      <Moving value={unrealisedPnl}>
        <Gain amount={unrealisedPnl} rate={unrealisedPnlPercent} className="cards:hidden" />
        <PhoneGain amount={unrealisedPnl} rate={unrealisedPnlPercent} />
      </Moving>
    ),
  },
  {
    name: 'Today',
    sortName: 'today',
    isFigure: true,
    place: 'desk',
    of: (position) => {
      const today = gainToday(position)
      return <Gain amount={today?.amount ?? null} rate={today?.rate ?? null} />
    },
  },
  {
    name: 'Exit',
    place: 'second',
    line: 'onPhone',
    of: (position) => <ExitCell position={position} cover={coverOf?.(position)} now={now} />,
  },
  ...(close
    ? [
        {
          name: 'Close',
          isControl: true,
          place: 'beside' as const,
          of: (position: Position) => (
            <Button
              className="max-desk:w-11 max-desk:px-0"
              onClick={() => close(position)}
              aria-label={`Close ${position.symbol}…`}
            >
              <X aria-hidden="true" className="size-4 rows:hidden" />
              <span className="cards:hidden">Close…</span>
            </Button>
          ),
        },
      ]
    : []),
]
