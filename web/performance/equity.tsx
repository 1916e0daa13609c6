import { lazy, Suspense, useMemo, useState } from 'react'
import { Segmented } from '../parts/segmented.tsx'
import { ChartCredit } from '../parts/credit.tsx'
import { Gain } from '../parts/gain.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Panel } from '../parts/panel.tsx'
import { SameAsTable } from '../parts/same-as-table.tsx'
import { Table } from '../parts/table.tsx'
import { money, number } from '../words/figures.ts'
import { Checkbox } from '../parts/checkbox.tsx'
import { BENCHMARK, useBenchmark } from './benchmark.ts'
import { besides } from './words.ts'
import { PERIODS, useBalances, usePerformance, type Balance, type Period } from './data.ts'

const Curve = lazy(async () => ({ default: (await import('../parts/curve.tsx')).Curve }))

const EQUITY_ROWS = 60

interface Props {
  /** One account; all together without it. */
  accountId?: string
  period?: Period
  title?: string
  withBenchmark?: boolean
}

export function EquityPanel({ accountId, period: given, title = 'Equity', withBenchmark = false }: Props) {
  const [own, setOwn] = useState<Period>('3M')
  const period = given ?? own
  const { data: performance } = usePerformance(period)
  const balances = useBalances(performance && performance.from, accountId)
  return (
    <Panel
      title={title}
      aside={
        given === undefined && <Segmented legend="Period" value={own} options={PERIODS} choose={setOwn} />
      }
    >
      <Loaded query={balances} name="The equity" rows={6}>
        {({ points }) =>
          points.length < 2 ? (
            <TooFew points={points} />
          ) : (
            <Days points={points} withBenchmark={withBenchmark} />
          )
        }
      </Loaded>
    </Panel>
  )
}

const TooFew = ({ points }: { points: readonly Balance[] }) => (
  <Empty title="No curve yet">
    {points[0]
      ? `The day ${points[0].date} ended with ${money(points[0].equity)}. A second day makes a curve.`
      : 'Balances are recorded when a day of the exchange ends.'}
  </Empty>
)

function Days({ points, withBenchmark }: { points: readonly Balance[]; withBenchmark: boolean }) {
  const [isCompared, setCompared] = useState(false)
  const benchmark = useBenchmark(points[0]?.date, isCompared)
  const beside = useMemo(
    () => (isCompared && benchmark.data ? besides(points, benchmark.data.bars) : undefined),
    [isCompared, points, benchmark.data],
  )
  const besideOf = useMemo(() => new Map(beside?.map(({ date, value }) => [date, value])), [beside])
  const values = useMemo(() => points.map(({ date, equity }) => ({ date, value: equity })), [points])
  const first = points[0]!
  const last = points.at(-1)!
  const change = last.equity - first.equity
  const rows = points.toReversed().slice(0, EQUITY_ROWS)
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-3 px-4 pt-3">
        <span className="text-lg font-bold">{money(last.equity)}</span>
        <Gain amount={change} rate={first.equity === 0 ? null : (change / first.equity) * 100} />
        <span className="text-xs text-muted">
          {first.date} to {last.date}
        </span>
        {withBenchmark && (
          <Checkbox checked={isCompared} onChange={({ target }) => setCompared(target.checked)}>
            Compare with {BENCHMARK}
          </Checkbox>
        )}
      </p>
      {isCompared && (benchmark.isError || beside?.length === 0) && (
        <p role="status" className="px-4 text-xs text-muted">
          The broker has no prices of {BENCHMARK} for these days.
        </p>
      )}
      <Suspense fallback={<div className="waiting-shape m-4 h-60" />}>
        <div className="px-2">
          <Curve
            label={`Equity from ${money(first.equity)} on ${first.date} to ${money(last.equity)} on ${last.date}. The table below has the same data.`}
            points={values}
            {...(beside && { beside })}
          />
        </div>
      </Suspense>
      <ChartCredit />
      <SameAsTable>
        <Table
          label="Equity by day"
          rows={rows}
          keyOf={({ date }) => date}
          columns={[
            { name: 'Day', place: 'first', of: ({ date }) => date },
            { name: 'Equity', isFigure: true, place: 'lead', of: ({ equity }) => money(equity) },
            ...(beside === undefined
              ? []
              : [
                  {
                    name: `In ${BENCHMARK}`,
                    isFigure: true,
                    of: ({ date }: Balance) => {
                      const value = besideOf.get(date)
                      return value === undefined ? '–' : money(value)
                    },
                  },
                ]),
            { name: 'Cash', isFigure: true, place: 'below', of: ({ cashBalance }) => money(cashBalance) },
            {
              name: 'From an earlier day',
              isFigure: true,
              place: 'below',
              of: ({ carriedForward }) => (carriedForward === 0 ? '–' : `${number(carriedForward)} accounts`),
            },
          ]}
        />
        {points.length > rows.length && (
          <p className="px-4 py-3 text-xs text-muted">
            The newest {rows.length} days of {points.length}.
          </p>
        )}
      </SameAsTable>
    </>
  )
}
