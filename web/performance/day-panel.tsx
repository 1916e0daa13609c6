import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo } from 'react'
import type { Routes } from '#client/types.ts'
import { dataOf, present } from '../connection/ask.ts'
import { ChartCredit } from '../parts/credit.tsx'
import { Gain } from '../parts/gain.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Panel } from '../parts/panel.tsx'
import { SameAsTable } from '../parts/same-as-table.tsx'
import { Table, type Column } from '../parts/table.tsx'
import { money } from '../words/figures.ts'
import { marketTime, minuteIn } from '../words/times.ts'

type Day = Routes['GET /api/v1/dashboard/equity-today']['answers'][200]['data']
type Reading = Day['points'][number]

const Curve = lazy(async () => ({ default: (await import('../parts/curve.tsx')).Curve }))

function useDay(accountId: string | undefined) {
  return useQuery({
    queryKey: ['equity-today', accountId ?? ''],
    queryFn: () => dataOf('GET /api/v1/dashboard/equity-today', { query: present({ accountId }) }),
  })
}

export function DayPanel({ accountId }: { accountId?: string | undefined }) {
  const day = useDay(accountId)
  return (
    <Panel title="Equity today">
      <Loaded query={day} name="The equity of the day" rows={4}>
        {(data) =>
          data.points.length < 2 ? (
            <Empty title="No curve yet">
              The equity is recorded every five minutes while accounts are synced.
            </Empty>
          ) : (
            <Drawn {...data} />
          )
        }
      </Loaded>
    </Panel>
  )
}

function Drawn({ points, dayStartEquity }: Day) {
  const values = useMemo(
    () => points.map(({ at, equity }) => ({ date: Date.parse(at) / 1_000, value: equity })),
    [points],
  )
  const last = points.at(-1)!
  const start = dayStartEquity ?? points[0]!.equity
  const deepest = maxFall(points)
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-3 px-4 pt-3">
        <Gain
          amount={last.equity - start}
          rate={start > 0 ? ((last.equity - start) / start) * 100 : null}
          className="text-lg font-bold"
        />
        <span className="text-xs text-muted">
          by {minuteIn(last.at, 'market')} New York, last recorded at {money(last.equity)} · max drawdown{' '}
          {deepest === 0 ? '–' : money(-deepest)}
        </span>
      </p>
      <Suspense fallback={<div className="waiting-shape m-4 h-60" />}>
        <div className="px-2">
          <Curve
            label={`Equity today from ${money(points[0]!.equity)} to ${money(last.equity)}. The table below has the same data.`}
            points={values}
          />
        </div>
      </Suspense>
      <ChartCredit />
      <SameAsTable>
        <Table
          label="Equity today"
          rows={points.toReversed()}
          keyOf={({ at }) => at}
          columns={columnsOf(start)}
        />
      </SameAsTable>
    </>
  )
}

/** Largest fall in dollars from an earlier high. */
function maxFall(points: readonly Reading[]): number {
  let high = -Infinity
  let deepest = 0
  for (const { equity } of points) {
    high = Math.max(high, equity)
    deepest = Math.max(deepest, high - equity)
  }
  return deepest
}

const columnsOf = (start: number): Column<Reading>[] => [
  { name: 'Time', place: 'first', of: ({ at }) => marketTime(at) },
  { name: 'Equity', isFigure: true, place: 'lead', of: ({ equity }) => money(equity) },
  {
    name: 'Since the day began',
    isFigure: true,
    of: ({ equity }) => <Gain amount={equity - start} />,
  },
]
