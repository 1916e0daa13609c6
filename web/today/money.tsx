import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Position } from '#client/types.ts'
import { dataOf } from '../connection/ask.ts'
import { useStore } from '../connection/store.ts'
import { Gain } from '../parts/gain.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Moving } from '../parts/moving.tsx'
import { exposureOf, exposureParts } from '../position/exposure.ts'
import { usePositions, useSummedPositions } from '../position/list.ts'
import { dayCheck, restWords } from '../position/today.ts'
import { useAccounts } from '../records/accounts.ts'
import { atLivePrice, sumsAtLivePrices } from '../records/at-prices.ts'
import { livePrices } from '../records/live-prices.ts'
import { SUMMARY } from '../records/news.ts'
import { money, number } from '../words/figures.ts'
import { age } from '../words/times.ts'

/** Summary of all accounts of the trading mode at live prices. */
export function useSummary() {
  const prices = useStore(livePrices)
  const accounts = useAccounts()
  const positions = useSummedPositions()
  return useQuery({
    queryKey: SUMMARY,
    queryFn: () => dataOf('GET /api/v1/dashboard/summary'),
    select: (told) => {
      const isCounted = ({ accountId }: Position) =>
        accounts.get(accountId)?.isDemo === (told.mode === 'PAPER')
      const counted = positions.filter(isCounted)
      const exposure = exposureOf(counted.map((position) => atLivePrice(position, prices)))
      return { ...sumsAtLivePrices(told, counted, prices), exposure }
    },
  })
}

export function Money({ now }: { now: number }) {
  const summary = useSummary()
  const { isSuccess: isHeldKnown } = usePositions()
  return (
    <section aria-label="Money" className="grid gap-4">
      <Loaded query={summary} name="The balances" rows={2}>
        {(all) => (
          <dl className="grid grid-cols-2 gap-3 desk:grid-cols-[1.7fr_1fr_1fr_1fr] desk:gap-4">
            <Figure
              name={`Equity, ${all.accounts === 1 ? '1 account' : `${all.accounts} accounts`} ${all.mode === 'LIVE' ? 'with real money' : 'on paper'}`}
              value={<Moving value={all.equity}>{money(all.equity)}</Moving>}
              beside={
                all.dayPnl === null ? (
                  <span className="text-muted">the day’s result is not known yet</span>
                ) : (
                  <Gain amount={all.dayPnl} rate={all.dayPnlPercent} className="font-medium" />
                )
              }
              note={`cash ${money(all.cashBalance)} · buying power ${money(all.buyingPower)}${all.asOf === null ? '' : ` · updated ${age(now - Date.parse(all.asOf))}`}`}
              className="col-span-2 desk:col-span-1"
            />
            <Figure
              name="Exposure"
              value={isHeldKnown ? money(all.exposure.gross) : '…'}
              note={[
                ...(all.equity > 0 && isHeldKnown
                  ? [`${((all.exposure.gross / all.equity) * 100).toFixed(1)} % of equity`]
                  : []),
                many(all.openPositions, 'position'),
                ...exposureParts(all.exposure),
              ].join(' · ')}
            />
            <Figure
              name="Open P&L"
              value={
                <Moving value={all.unrealisedPnl}>
                  <Gain amount={all.unrealisedPnl} />
                </Moving>
              }
              note="of the open positions"
            />
            <Figure
              name="Open orders"
              value={number(all.openOrders)}
              note={`${many(all.pendingSignals, 'signal')} to approve · ${number(all.scheduledSignals)} scheduled`}
              className="max-desk:col-span-2"
            />
            <div className="col-span-full text-xs text-muted">
              <dt className="sr-only">Result of today</dt>
              <dd>
                <DayResult
                  realisedToday={all.realisedToday}
                  wholeToday={all.wholeToday}
                  openToday={all.openToday}
                  dayPnl={all.dayPnl}
                />
              </dd>
            </div>
          </dl>
        )}
      </Loaded>
    </section>
  )
}

interface DayResultProps {
  /** Dollars. */
  realisedToday: number
  /** Trades whose result from before today counts as well. */
  wholeToday: number
  openToday: number | null
  /** Change of the equity. */
  dayPnl: number | null
}

/** Results of today's closed trades and gains of positions, checked against the change of equity. */
function DayResult({ realisedToday, wholeToday, openToday, dayPnl }: DayResultProps) {
  const check = dayCheck(realisedToday, openToday, dayPnl)
  return (
    <span className="inline-flex flex-wrap gap-x-1">
      <span>
        Today: realised <Gain amount={realisedToday} />
      </span>
      <span>and open {openToday === null ? 'not known' : <Gain amount={openToday} />}</span>
      {check && check.rest !== 0 && (
        <span>
          and other <Gain amount={check.rest} /> ({restWords(wholeToday)})
        </span>
      )}
      {check && (
        <span>
          = change of equity <Gain amount={check.change} />
        </span>
      )}
    </span>
  )
}

const many = (count: number, what: string): string => `${number(count)} ${what}${count === 1 ? '' : 's'}`

interface FigureProps {
  name: string
  value: ReactNode
  beside?: ReactNode
  note: string
  className?: string
}

const Figure = ({ name, value, beside, note, className = '' }: FigureProps) => (
  <div className={`min-w-0 rounded-card border border-line bg-surface px-4 py-3 ${className}`}>
    <dt className="text-xs text-muted">{name}</dt>
    <dd className="flex flex-wrap items-baseline gap-x-3">
      <span className="text-xl font-bold wrap-anywhere wide:text-2xl">{value}</span>
      {beside}
    </dd>
    <dd className="text-xs text-muted">{note}</dd>
  </div>
)
