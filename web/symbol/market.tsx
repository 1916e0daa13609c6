import { lazy, Suspense, useMemo } from 'react'
import type { Position } from '#client/types.ts'
import { money, number } from '../words/figures.ts'
import { isBuying } from '../words/order.ts'
import { Segmented } from '../parts/segmented.tsx'
import { ChartCredit } from '../parts/credit.tsx'
import { Gain } from '../parts/gain.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Panel } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { bothTimes, marketTime } from '../words/times.ts'
import type { Mark } from './bars-chart.tsx'
import { useBars, useFills, type Bar } from './data.ts'
import { useQuotes } from '../records/quotes.ts'
import { TIMEFRAMES, type Timeframe } from './search.ts'

const BarsChart = lazy(async () => ({ default: (await import('./bars-chart.tsx')).BarsChart }))

/** Rows of the table behind the chart. */
const BAR_ROWS = 40

interface Props {
  symbol: string
  timeframe: Timeframe
  choose: (timeframe: Timeframe) => void
  positions: readonly Position[]
}

/** The price now, and its bars with what was bought and sold. */
export function Market({ symbol, timeframe, choose, positions }: Props) {
  const bars = useBars(symbol, timeframe)
  const quotes = useQuotes([symbol])
  const fills = useFills(symbol).data
  const quote = quotes.data?.quotes.get(symbol)
  const marks = useMemo(
    () =>
      (fills ?? []).map((order): Mark => {
        const isBuy = isBuying(order)
        return {
          at: order.filledAt,
          isBuy,
          text: `${isBuy ? 'buy' : 'sell'} ${number(order.filledQuantity)}`,
        }
      }),
    [fills],
  )
  const [only] = positions.length === 1 ? positions : []
  return (
    <Panel
      title={
        <span className="flex flex-wrap items-baseline gap-x-3">
          <span className="text-xl">{quote?.last == null ? 'No price' : money(quote.last)}</span>
          {quote && <Gain amount={quote.dayChange} rate={quote.dayChangePercent} className="font-medium" />}
          <span className="text-xs font-normal text-muted">
            {quotes.data ? `as of ${marketTime(quotes.data.asOf)}` : ''}
          </span>
        </span>
      }
      aside={<Segmented legend="Length of a bar" value={timeframe} options={TIMEFRAMES} choose={choose} />}
    >
      <Loaded query={bars} name="The bars" rows={9}>
        {(data) =>
          data.bars.length === 0 ? (
            <Empty title="It has not traded in this time">Choose longer bars to look further back.</Empty>
          ) : (
            <>
              <Suspense fallback={<div className="h-72 desk:h-90" />}>
                <div className="p-2">
                  <BarsChart
                    label={`${symbol} in bars of ${TIMEFRAMES[timeframe]}, with what was bought and sold. The table below tells the same.`}
                    bars={data.bars}
                    isDaily={timeframe === '1d'}
                    marks={marks}
                    cost={only?.avgCost ?? null}
                  />
                </div>
              </Suspense>
              <ChartCredit />
              <BarsTable symbol={symbol} bars={data.bars} marks={marks} />
            </>
          )
        }
      </Loaded>
    </Panel>
  )
}

/** The newest bars, and the fills, as rows. */
function BarsTable({
  symbol,
  bars,
  marks,
}: {
  symbol: string
  bars: readonly Bar[]
  marks: readonly Mark[]
}) {
  const now = useNow()
  const rows = useMemo(() => bars.slice(-BAR_ROWS).toReversed(), [bars])
  const fillsOf = (bar: Bar): string => {
    const next = bars[bars.indexOf(bar) + 1]
    return marks
      .filter(({ at }) => at >= bar.at && (next === undefined || at < next.at))
      .map(({ text }) => text)
      .join(', ')
  }
  return (
    <details className="border-t border-line">
      <summary className="flex min-h-11 items-center px-4 underline desk:min-h-9">
        The same as a table
      </summary>
      <Table
        label={`Bars of ${symbol}`}
        keyOf={({ at }) => at}
        rows={rows}
        columns={[
          { name: 'From', place: 'first', of: ({ at }) => bothTimes(at, now) },
          { name: 'Open', isFigure: true, of: ({ open }) => money(open) },
          { name: 'High', isFigure: true, of: ({ high }) => money(high) },
          { name: 'Low', isFigure: true, of: ({ low }) => money(low) },
          { name: 'Close', isFigure: true, place: 'lead', of: ({ close }) => money(close) },
          { name: 'Shares', isFigure: true, of: ({ volume }) => number(volume) },
          { name: 'Yours', of: fillsOf },
        ]}
      />
      <p className="px-4 py-3 text-xs text-muted">
        The newest {rows.length} bars. Your fills stand in the bar they fell in.
      </p>
    </details>
  )
}
