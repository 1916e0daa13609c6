import { lazy, Suspense, useMemo } from 'react'
import { ChartCredit } from '../parts/credit.tsx'
import { Gain } from '../parts/gain.tsx'
import { Empty } from '../parts/loaded.tsx'
import { Panel } from '../parts/panel.tsx'
import { SameAsTable } from '../parts/same-as-table.tsx'
import { Table, type Column } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { gain, money, number } from '../words/figures.ts'
import { bothTimes } from '../words/times.ts'
import type { Statistics } from './statistics.ts'

const TradeCurve = lazy(async () => ({ default: (await import('./trade-curve.tsx')).TradeCurve }))

const CURVE_ROWS = 60

/** Cumulated result of closed trades, and its drawdown. */
export function ResultCurve({ statistics: { all, curve, maxDrawdown } }: { statistics: Statistics }) {
  return (
    <Panel title="Realised P&L by trade">
      {curve.length < 2 ? (
        <Empty title="No curve yet">
          {curve[0]
            ? `The only closed trade brought ${gain(curve[0].total)}. A second one makes a curve.`
            : 'A curve begins with the second trade that is closed.'}
        </Empty>
      ) : (
        <Drawn {...{ curve, maxDrawdown }} trades={all.trades} />
      )}
    </Panel>
  )
}

function Drawn({
  curve,
  maxDrawdown,
  trades,
}: Pick<Statistics, 'curve' | 'maxDrawdown'> & { trades: number }) {
  const now = useNow()
  const rows = useMemo(() => curve.slice(-CURVE_ROWS).toReversed(), [curve])
  const { total } = curve.at(-1)!
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-3 px-4 pt-3">
        <Gain amount={total} className="text-lg font-bold" />
        <span className="text-xs text-muted">
          after {number(trades)} trades · max drawdown {money(-maxDrawdown)}
        </span>
      </p>
      <Suspense fallback={<div className="waiting-shape m-4 h-80" />}>
        <div className="px-2">
          <TradeCurve
            label={`Realised P&L after ${number(trades)} trades: ${gain(total)}, and the drawdown below it. The table below has the same data.`}
            points={curve}
          />
        </div>
      </Suspense>
      <ChartCredit />
      <SameAsTable>
        <Table
          label="Realised P&L by trade"
          rows={rows}
          keyOf={({ trade }) => `${trade}`}
          columns={columnsOf(now)}
        />
        <p className="px-4 py-3 text-xs text-muted">
          {curve.length === trades
            ? `The newest ${number(rows.length)} of ${number(trades)} trades.`
            : `Of ${number(trades)} trades ${number(curve.length)} are drawn, with highs, lows and the max drawdown among them; these are the newest ${number(rows.length)}.`}
        </p>
      </SameAsTable>
    </>
  )
}

const columnsOf = (now: number): Column<Statistics['curve'][number]>[] => [
  { name: 'Trade', place: 'first', of: ({ trade }) => `Trade ${number(trade)}` },
  {
    name: 'P&L so far',
    isFigure: true,
    place: 'lead',
    of: (point) => <Gain amount={point.total} />,
  },
  {
    name: 'Drawdown',
    isFigure: true,
    of: ({ drawdown }) => (drawdown === 0 ? '–' : money(-drawdown)),
  },
  { name: 'Closed', place: 'second', of: ({ at }) => bothTimes(at, now) },
]
