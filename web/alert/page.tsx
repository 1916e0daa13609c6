import { getRouteApi, Link } from '@tanstack/react-router'
import type { Alert } from '#client/types.ts'
import { ALERT_NAMES } from '#domain/alert/names.ts'
import { Button } from '../parts/button.tsx'
import { Select } from '../parts/field.tsx'
import { Empty } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Paged } from '../parts/pager.tsx'
import { Panel } from '../parts/panel.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { useNow } from '../parts/time.ts'
import { useAccounts } from '../records/accounts.ts'
import { AlertItem } from './alert-item.tsx'
import { useAlerts } from './list.ts'
import type { AlertsSearch } from './search.ts'
import { AccountSelect } from '../parts/account.tsx'

const route = getRouteApi('/gate/shell/alerts')

export function AlertsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = (next: AlertsSearch): void => void navigate({ search: next })
  const alerts = useAlerts(search)
  const accounts = useAccounts()
  const now = useNow()
  return (
    <div className="grid max-w-220 gap-4">
      <div>
        <PageHead name="Alerts" />
        <section aria-label="Alerts" className="overflow-clip rounded-card border border-line bg-surface">
          <Filters search={search} change={change} />
          <Paged
            query={alerts}
            name="The alerts"
            lines={3}
            rowsOf={(page) => page.alerts}
            page={search.page ?? 1}
            turnTo={(page) => change({ ...search, page })}
          >
            {(rows) =>
              rows.length === 0 ? (
                <Nothing search={search} />
              ) : (
                <ul aria-label="Alerts, newest first">
                  {rows.map((alert) => (
                    <AlertItem key={alert.id} alert={alert} accounts={accounts} now={now} />
                  ))}
                </ul>
              )
            }
          </Paged>
        </section>
      </div>
      <HowTheyReachYou />
    </div>
  )
}

const Nothing = ({ search: { state, kind, account } }: { search: AlertsSearch }) =>
  kind !== undefined || account !== undefined ? (
    <Empty title="No matching alerts">Show all, or choose another kind.</Empty>
  ) : (
    <Empty title={state === 'all' ? 'No alerts yet' : 'No alert is open'}>
      An alert stays open until its cause has ended.
    </Empty>
  )

function Filters({ search, change }: { search: AlertsSearch; change: (search: AlertsSearch) => void }) {
  const accounts = useAccounts()
  const { page: _, ...rest } = search
  const set = (name: 'kind' | 'account', value: string): void => {
    const { [name]: _before, ...others } = rest
    change(value === '' ? others : { ...others, [name]: value })
  }
  const { state, ...filters } = rest
  return (
    <search className="flex flex-wrap items-end gap-3 border-b border-line p-3">
      <Segmented
        legend="Which alerts"
        options={{ open: 'Open', all: 'All' }}
        value={state ?? 'open'}
        choose={(chosen) => change(chosen === 'all' ? { ...filters, state: 'all' } : filters)}
      />
      <Select
        label="Kind"
        value={search.kind ?? ''}
        options={[['', 'all'], ...(Object.entries(ALERT_NAMES) as [Alert['kind'], string][])]}
        choose={(kind) => set('kind', kind)}
        className="max-desk:grow desk:w-52"
      />
      {accounts.size > 1 && (
        <AccountSelect
          value={search.account}
          all="all"
          choose={(account) => set('account', account)}
          className="max-desk:grow desk:w-44"
        />
      )}
      {Object.keys(filters).length > 0 && (
        <Button onClick={() => change(state ? { state } : {})} className="desk:h-9">
          Show all
        </Button>
      )}
    </search>
  )
}

const HowTheyReachYou = () => (
  <Panel title="How alerts reach you">
    <ul className="grid list-disc gap-2 py-4 pr-4 pl-9">
      <li>The bell on every page counts unseen alerts. They appear at once while the page is live.</li>
      <li>
        While the app is closed, alerts are sent to devices with{' '}
        <Link to="/settings/notifications" className="underline">
          notifications
        </Link>
        {' turned on. Programs can follow them through the API.'}
      </li>
      <li>
        <b className="font-bold">Alerts are not sent by e-mail.</b> E-mail is only for sign-in: a new
        password, and two-step sign-in turned on or off.
      </li>
    </ul>
  </Panel>
)
