import type { Position } from '#client/types.ts'
import { Button } from '../parts/button.tsx'
import { Gain } from '../parts/gain.tsx'
import type { Column } from '../parts/table.tsx'
import { money, number } from '../words/figures.ts'
import { ExitCell } from './exit-cell.tsx'
import type { Cover } from './list.ts'
import { SymbolLink } from '../parts/symbol-link.tsx'

interface Known {
  coverOf: ((position: Position) => Cover) | undefined
  now: number
}

export const SIDES = { LONG: 'long', SHORT: 'short' } as const satisfies Record<Position['side'], string>

/** What of a position stands in its row; without `close` it is looked at only. */
export const positionColumns = (
  { coverOf, now }: Known,
  close?: (position: Position) => void,
): Column<Position>[] => [
  {
    name: 'Position',
    place: 'first',
    of: ({ symbol, side, quantity }) => (
      <>
        <SymbolLink symbol={symbol} />{' '}
        <span className="text-muted">
          {number(quantity)} {SIDES[side]}
        </span>
      </>
    ),
  },
  { name: 'Cost', isFigure: true, of: ({ avgCost }) => money(avgCost) },
  { name: 'Price', isFigure: true, of: ({ currentPrice }) => money(currentPrice) },
  { name: 'Value', isFigure: true, place: 'lead', of: ({ marketValue }) => money(marketValue) },
  {
    name: 'Unrealised',
    isFigure: true,
    place: 'tail',
    of: ({ unrealisedPnl, unrealisedPnlPercent }) => (
      <Gain amount={unrealisedPnl} rate={unrealisedPnlPercent} />
    ),
  },
  {
    name: 'Today',
    isFigure: true,
    of: ({ dayChangePercent }) => <Gain rate={dayChangePercent} />,
  },
  {
    name: 'Exit',
    place: 'second',
    of: (position) => <ExitCell position={position} cover={coverOf?.(position)} now={now} />,
  },
  ...(close
    ? [
        {
          name: 'Close',
          isControl: true,
          of: (position: Position) => (
            <Button onClick={() => close(position)} aria-label={`Close ${position.symbol}…`}>
              Close…
            </Button>
          ),
        },
      ]
    : []),
]
