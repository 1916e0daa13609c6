import { getRouteApi } from '@tanstack/react-router'
import { AccountSelect } from '../parts/account.tsx'
import { CsvButton } from '../parts/csv-button.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { Settled } from '../parts/settled.tsx'
import { useAccounts } from '../records/accounts.ts'
import { AccountsPanel } from './accounts-panel.tsx'
import { balancesCsv, performanceOf, PERIODS, usePerformance } from './data.ts'
import { DayPanel } from './day-panel.tsx'
import { EquityPanel } from './equity.tsx'
import { Results } from './results.tsx'
import type { PerformanceSearch } from './search.ts'
import { useStatistics } from './statistics.ts'

const route = getRouteApi('/gate/shell/performance')

/** How accounts and trades have done. */
export function PerformancePage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = (next: PerformanceSearch): void => void navigate({ search: next, replace: true })
  const period = search.period ?? '3M'
  const performance = usePerformance(period)
  const statistics = useStatistics({ period, account: search.account })
  const accounts = useAccounts()
  return (
    <>
      <PageHead name="Performance">
        {accounts.size > 1 && (
          <AccountSelect
            value={search.account}
            all="all together"
            choose={(account) => {
              const { account: _before, ...rest } = search
              change(account === '' ? rest : { ...rest, account })
            }}
          />
        )}
        <Segmented
          legend="Period"
          value={period}
          options={PERIODS}
          choose={(next) => change({ ...search, period: next })}
        />
        <CsvButton name="balances" read={() => balancesCsv(period, search.account)} />
      </PageHead>
      <Settled known={performanceOf(period)}>
        <div className="grid gap-4">
          <div className="grid items-start gap-4 wide:grid-cols-2">
            <DayPanel accountId={search.account} />
            <EquityPanel
              period={period}
              withBenchmark
              {...(search.account !== undefined && {
                accountId: search.account,
                title: `Equity of ${accounts.get(search.account)?.name ?? 'one account'}`,
              })}
            />
          </div>
          <Loaded query={statistics} name="The results">
            {(data) => <Results statistics={data} />}
          </Loaded>
          <AccountsPanel performance={performance} />
        </div>
      </Settled>
    </>
  )
}

const rate = (value: number | null): string => (value === null ? '–' : `${value.toFixed(1)} %`)

const COLUMNS: readonly Column<AccountPerformance>[] = [
  { name: 'Account', place: 'first', of: ({ name }) => name },
  { name: 'Return', isFigure: true, place: 'lead', of: ({ returnPercent }) => <Gain rate={returnPercent} /> },
  { name: 'Realised', isFigure: true, place: 'tail', of: ({ realisedPnl }) => <Gain amount={realisedPnl} /> },
  {
    name: 'Max drawdown',
    isFigure: true,
    of: ({ maxDrawdownPercent: fall }) => (fall === null ? '–' : percent(-Math.abs(fall))),
  },
  { name: 'Sharpe', isFigure: true, of: ({ sharpe }) => (sharpe === null ? '–' : sharpe.toFixed(2)) },
  { name: 'Trades', isFigure: true, of: ({ trades }) => number(trades) },
  { name: 'Win rate', isFigure: true, of: ({ winRate }) => rate(winRate) },
  {
    name: 'Profit factor',
    isFigure: true,
    of: ({ profitFactor }) => (profitFactor === null ? '–' : `$${profitFactor.toFixed(2)}`),
  },
  { name: 'Best trade', of: ({ bestTrade }) => <Extreme trade={bestTrade} /> },
  { name: 'Worst trade', of: ({ worstTrade }) => <Extreme trade={worstTrade} /> },
  {
    name: 'Days',
    place: 'second',
    of: ({ firstDay, lastDay }) =>
      firstDay === null ? (
        'no day known'
      ) : (
        <span className="whitespace-nowrap">{`${firstDay} to ${lastDay ?? '…'}`}</span>
      ),
  },
]

const Extreme = ({ trade }: { trade: AccountPerformance['bestTrade'] }) =>
  trade === null ? (
    '–'
  ) : (
    <>
      <Link to="/trades" search={{ symbol: trade.symbol }} className="underline">
        {trade.symbol}
      </Link>{' '}
      <Gain amount={trade.realisedPnl} />
    </>
  )

const OF_STRATEGIES: readonly Column<Strategy>[] = [
  {
    name: 'Strategy',
    place: 'first',
    of: ({ id, name }) => (
      <Link to="/trades" search={{ strategy: id }} className="underline">
        {name}
      </Link>
    ),
  },
  { name: 'Realised', isFigure: true, place: 'lead', of: ({ stats }) => <Gain amount={stats.realisedPnl} /> },
  {
    name: 'Trades',
    isFigure: true,
    place: 'tail',
    of: ({ stats }) => `${number(stats.trades)} ${stats.trades === 1 ? 'trade' : 'trades'}`,
  },
  { name: 'Win rate', isFigure: true, of: ({ stats }) => rate(stats.winRate) },
  { name: 'Signals', isFigure: true, of: ({ stats }) => number(stats.signals) },
  { name: 'Status', place: 'second', of: ({ status }) => status },
]
