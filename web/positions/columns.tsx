import { OctagonPause, TriangleAlert } from 'lucide-react'
import type { Position } from '#client/types.ts'
import type { ListedPosition } from '../records/at-prices.ts'
import { Button } from '../parts/button.tsx'
import { Gain } from '../parts/gain.tsx'
import { ListTime } from '../parts/list-time.tsx'
import { Moving } from '../parts/moving.tsx'
import { Chip } from '../parts/panel.tsx'
import { SymbolLink } from '../parts/symbol-link.tsx'
import type { Column } from '../parts/table.tsx'
import { money, number } from '../words/figures.ts'
import { heldWords } from '../words/agenda.ts'
import type { Cover } from './list.ts'
import { gainToday } from './today.ts'
import { PlanExit } from './plan-exit.tsx'
import { ProtectionCell } from './protection-cell.tsx'

interface Known {
  coverOf: ((position: Position) => Cover) | undefined
  now: number
}

export const SIDES = { LONG: 'long', SHORT: 'short' } as const satisfies Record<Position['side'], string>

/** What of a position stands in its row; without `close` it is looked at only. */
export const positionColumns = (
  { coverOf, now }: Known,
  close?: (position: Position) => void,
): Column<ListedPosition>[] => [
  {
    name: 'Position',
    place: 'first',
    sortName: 'symbol',
    of: ({ symbol, side, quantity, marketValue }) => (
      <>
        <SymbolLink symbol={symbol} />{' '}
        <span className="text-muted">
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
    place: 'desk',
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
        <Gain amount={unrealisedPnl} rate={unrealisedPnlPercent} />
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
    of: (position) => (
      <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
        <ProtectionCell position={position} uncovered={coverOf?.(position).uncovered} />
        <ExitCell position={position} cover={coverOf?.(position)} now={now} />
      </span>
    ),
  },
  ...(close
    ? [
        {
          name: 'Close',
          isControl: true,
          place: 'tail' as const,
          of: (position: Position) => (
            <Button onClick={() => close(position)} aria-label={`Close ${position.symbol}…`}>
              Close…
            </Button>
          ),
        },
      ]
    : []),
]

/** How a position is closed again, in a few words: when, by which orders, and what has no exit. */
function ExitCell({ position, cover, now }: { position: Position; cover: Cover | undefined; now: number }) {
  if (!cover) return <span className="waiting-shape inline-block h-3 w-16" />
  const { planned, scheduled, working, uncovered, alarms, heldBy } = cover
  // What protects it is told beside.
  const protecting = position.protection?.protectedBy.map(({ atBroker }) => atBroker?.orderId)
  const others = working.filter(({ id }) => protecting?.includes(id) !== true)
  const next = planned.find(({ exit }) => exit?.submitAt != null)?.exit?.submitAt ?? scheduled[0]?.scheduledAt
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      {alarms.length > 0 && (
        <Chip kind="danger">
          <TriangleAlert aria-hidden="true" /> exit failed
        </Chip>
      )}
      {heldBy !== null && planned.length + scheduled.length > 0 && (
        <span className="inline-flex min-w-0 items-start gap-1 text-danger">
          <OctagonPause aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          {heldWords(heldBy.setAt, now, false)}
        </span>
      )}
      {next != null && <ListTime at={next} now={now} />}
      {next == null && planned.length > 0 && <span>planned, after the entry</span>}
      {others.length > 0 && (
        <span>{others.length === 1 ? 'an order works' : `${others.length} orders work`}</span>
      )}
      {uncovered > 0 && (
        <Chip kind="warn">
          <TriangleAlert aria-hidden="true" />
          {uncovered === position.quantity
            ? 'no protection, no exit'
            : `${number(uncovered)} without an exit`}
        </Chip>
      )}
      {uncovered > 0 && (
        <PlanExit
          position={position}
          shares={uncovered}
          className="inline-flex min-h-11 items-center text-sm underline desk:min-h-6"
        />
      )}
    </span>
  )
}
