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
