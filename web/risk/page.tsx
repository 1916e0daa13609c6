import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Account } from '#client/types.ts'
import { useAccounts } from '../records/accounts.ts'
import { isRealMoney } from '../words/signal.ts'
import { dataOf } from '../connection/ask.ts'
import { buttonClass } from '../parts/button.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Notice } from '../parts/notice.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Panel } from '../parts/panel.tsx'
import { LimitsForm } from './limits-form.tsx'
import type { RiskSettings } from './words.ts'
import { AccountSelect } from '../parts/account.tsx'
import { queries } from '../connection/queries.ts'

const route = getRouteApi('/gate/shell/set-up/limits')

export function LimitsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const accounts = useAccounts()
  const limits = useQuery({
    queryKey: ['risk-limits'],
    queryFn: async () => (await dataOf('GET /api/v1/settings/risk')).accounts,
  })
  // Limits of removed accounts have no effect.
  const shown = limits.data?.filter(({ accountId }) => accounts.has(accountId))
  return (
    <>
      <PageHead name="Risk limits" note="each account has its own">
        {accounts.size > 1 && (
          <AccountSelect
            value={search.account ?? shown?.[0]?.accountId}
            choose={(account) => void navigate({ search: { account }, replace: true })}
          />
        )}
      </PageHead>
      <Loaded query={{ ...limits, data: shown }} name="The limits" rows={8}>
        {(all) => {
          const settings = all.find(({ accountId }) => accountId === search.account) ?? all[0]
          return settings === undefined ? (
            <Panel title="Limits">
              <Empty title="No account yet">Limits belong to accounts: connect a broker first.</Empty>
              <p className="pb-6 text-center">
                <Link to="/set-up/brokers/new" className={buttonClass('primary')}>
                  Connect a broker
                </Link>
              </p>
            </Panel>
          ) : (
            <OfAccount
              key={settings.accountId}
              settings={settings}
              account={accounts.get(settings.accountId)}
            />
          )
        }}
      </Loaded>
    </>
  )
}

function OfAccount({ settings, account }: { settings: RiskSettings; account: Account | undefined }) {
  const [isSaved, setSaved] = useState(false)
  return (
    <div data-mode={isRealMoney(account) ? 'live' : 'paper'} className="max-w-220">
      <div role="status" className="not-empty:mb-4">
        {isSaved && <Notice kind="info" title="Saved. They apply from the next order" />}
      </div>
      <LimitsForm
        // Edits start from limits that another person saved meanwhile.
        key={JSON.stringify(settings.set)}
        settings={settings}
        account={account}
        saved={(next) => {
          queries.setQueryData<RiskSettings[]>(['risk-limits'], (all) =>
            all?.map((each) => (each.accountId === next.accountId ? next : each)),
          )
          setSaved(true)
        }}
        edited={() => setSaved(false)}
      />
    </div>
  )
}
