import { lazy, Suspense, useMemo, useState } from 'react'
import type { Order } from '#client/types.ts'
import { usePlanned } from '../position/exit-card.tsx'
import { LevelSheet } from '../exit/level-sheet.tsx'
import { chartLevels } from '../exit/state.ts'
import type { ListedPosition } from '../records/at-prices.ts'
import { money, number } from '../words/figures.ts'
import { isBuying } from '../words/order.ts'
import { Segmented } from '../parts/segmented.tsx'
import { ChartCredit } from '../parts/credit.tsx'
import { Gain } from '../parts/gain.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Panel } from '../parts/panel.tsx'
import { ListTime } from '../parts/list-time.tsx'
import { SameAsTable } from '../parts/same-as-table.tsx'
import { Table, type Column } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { marketTime } from '../words/times.ts'
import type { Level } from './level-handles.tsx'
import { marksOf, type Mark } from './marks.ts'
import { useTrades } from '../trades/list.ts'
import { useBars, useFills, type Bar } from './data.ts'
import { Moving } from '../parts/moving.tsx'
import { useQuotes } from '../records/quotes.ts'
import { TIMEFRAMES, type Timeframe } from './search.ts'

const BarsChart = lazy(async () => ({ default: (await import('./bars-chart.tsx')).BarsChart }))

const BAR_ROWS = 40

interface Props {
  symbol: string
  timeframe: Timeframe
  choose: (timeframe: Timeframe) => void
  positions: readonly ListedPosition[]
  orders: readonly Order[] | undefined
}

/** Most levels that can be distinguished in a chart. */
const MOST_LEVELS = 8
const CLOSED_TRADES = { status: 'CLOSED', sort: 'exitAt.desc' } as const

export function Market({ symbol, timeframe, choose, positions, orders }: Props) {
  const bars = useBars(symbol, timeframe)
  const quotes = useQuotes([symbol])
  const fills = useFills(symbol).data
  const quote = quotes.data?.quotes.get(symbol)
  const closed = useTrades({ symbol, ...CLOSED_TRADES }).data?.trades
  const drawnBars = bars.data?.bars
  const marks = useMemo(
    () =>
      marksOf(
        drawnBars ?? [],
        (fills ?? []).map((order) => ({
          at: order.filledAt,
          isBuy: isBuying(order),
          shares: order.filledQuantity,
        })),
        (closed ?? []).map(({ exitAt, side, realisedPnl }) => ({
          at: exitAt ?? '',
          isBuy: side === 'SHORT',
          amount: realisedPnl ?? 0,
        })),
      ),
    [drawnBars, fills, closed],
  )
  const [asked, setAsked] = useState<Level | null>(null)
  const [message, setMessage] = useState('')
  const levels = useLevels(positions, orders, asked)
  return (
    <Panel
      title={
        <span className="flex flex-wrap items-baseline gap-x-3">
          <span className="text-xl">
            <Moving value={quote?.last ?? null}>
              {quote?.last == null ? 'No price' : money(quote.last)}
            </Moving>
          </span>
          {quote && <Gain amount={quote.dayChange} rate={quote.dayChangePercent} className="font-medium" />}
          <span className="text-xs font-normal text-muted">
            {quotes.data && (quotes.data.isStreamed ? 'live' : `as of ${marketTime(quotes.data.asOf)}`)}
          </span>
        </span>
      }
      aside={<Segmented legend="Length of a bar" value={timeframe} options={TIMEFRAMES} choose={choose} />}
    >
      <Loaded query={bars} name="The bars" rows={9}>
        {(data) =>
          data.bars.length === 0 ? (
            <Empty title="No trades in this period">Choose longer bars to look further back.</Empty>
          ) : (
            <>
              <Suspense fallback={<div className="waiting-shape m-4 h-72 desk:h-90" />}>
                <div className="p-2">
                  <BarsChart
                    label={`${symbol} in bars of ${TIMEFRAMES[timeframe]}, with what was bought and sold${levels.length === 0 ? '' : `, and the levels ${levels.map(({ title, price }) => `${title} ${money(price)}`).join(', ')}`}. The table below has the same data.`}
                    bars={data.bars}
                    isDaily={timeframe === '1d'}
                    marks={marks}
                    levels={levels}
                    ask={(level, price) => setAsked({ ...level, price })}
                  />
                </div>
              </Suspense>
              <ChartCredit />
              <p role="status" className="px-4 text-sm empty:hidden">
                {message}
              </p>
              {asked && (
                <MovedLevel
                  level={asked}
                  close={() => setAsked(null)}
                  done={(text) => {
                    setAsked(null)
                    setMessage(text)
                  }}
                />
              )}
              <BarsTable symbol={symbol} bars={data.bars} marks={marks} />
            </>
          )
        }
      </Loaded>
    </Panel>
  )
}

function MovedLevel({
  level,
  ...rest
}: {
  level: Level
  close: () => void
  done: (message: string) => void
}) {
  const planned = usePlanned(level.signalId ?? '')
  return (
    planned && (
      <LevelSheet
        of={planned}
        part={level.kind === 'target' ? 'target' : 'stop'}
        at={level.price}
        {...rest}
      />
    )
  )
}

/**
 * The list is the same object while its levels are equal.
 *
 * @param asked the level in the question, which stays where it was dropped
 */
function useLevels(
  positions: readonly ListedPosition[],
  orders: readonly Order[] | undefined,
  asked: Level | null,
): Level[] {
  const plans = positions.flatMap(({ protection }) => protection?.protectedBy ?? [])
  const [only] = positions.length === 1 && plans.length === 0 ? positions : []
  const ofExits = new Set(plans.map(({ atBroker }) => atBroker?.orderId))
  const all = [
    ...(only ? [{ price: only.avgCost, title: 'Cost', kind: 'entry' as const }] : []),
    ...plans.flatMap((plan) =>
      chartLevels(plan).map((level) => ({
        ...level,
        ...(asked?.signalId === plan.signalId && asked.kind === level.kind && { price: asked.price }),
        signalId: plan.signalId,
      })),
    ),
    ...(orders ?? []).filter(({ id }) => !ofExits.has(id)).flatMap(levelsOf),
  ].slice(0, MOST_LEVELS)
  const text = JSON.stringify(all)
  // Position prices change all the time; levels are drawn again only when they change.
  return useMemo(() => JSON.parse(text) as Level[], [text])
}

/** Prices at which an order waits, including exits that are planned at a price. */
function levelsOf(order: Order): Level[] {
  const what = `${isBuying(order) ? 'buy' : 'sell'} ${number(order.quantity - order.filledQuantity)}`
  return [
    ...(order.limitPrice === null ? [] : [{ price: order.limitPrice, title: `${what}, limit` }]),
    ...(order.stopPrice === null ? [] : [{ price: order.stopPrice, title: `${what}, stop` }]),
  ]
}
const beginning = (now: number): Column<Bar> => ({
  name: 'From',
  place: 'first',
  of: ({ at }) => <ListTime at={at} now={now} />,
})

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
  const fillsOf = (bar: Bar): string =>
    marks
      .filter((mark) => bars[mark.bar] === bar)
      .map(({ text }) => text)
      .join(' · ')
  return (
    <SameAsTable>
      <Table
        label={`Bars of ${symbol}`}
        keyOf={({ at }) => at}
        rows={rows}
        columns={[
          beginning(now),
          { name: 'Open', isFigure: true, of: ({ open }) => money(open) },
          { name: 'High', isFigure: true, of: ({ high }) => money(high) },
          { name: 'Low', isFigure: true, of: ({ low }) => money(low) },
          { name: 'Close', isFigure: true, place: 'lead', of: ({ close }) => money(close) },
          { name: 'Shares', isFigure: true, of: ({ volume }) => number(volume) },
          { name: 'Yours', of: fillsOf },
        ]}
      />
      <p className="px-4 py-3 text-xs text-muted">
        The newest {rows.length} bars. Your fills are shown in their bar.
      </p>
    </SameAsTable>
  )
}
