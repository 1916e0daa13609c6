import { useQuery } from '@tanstack/react-query'
import { Power, TriangleAlert } from 'lucide-react'
import type { Routes } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { useStore } from '../connection/store.ts'
import { useSummedPositions } from '../position/list.ts'
import { sumsAtLivePrices } from '../records/at-prices.ts'
import { livePrices } from '../records/live-prices.ts'
import { ACCOUNT_SUMMARIES } from '../records/news.ts'
import { useAccountList } from '../records/accounts.ts'
import { Gain } from '../parts/gain.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { Chip, Panel } from '../parts/panel.tsx'
import { Table, type Column } from '../parts/table.tsx'
import { LEVELS } from '../words/halts.ts'
import { money, number } from '../words/figures.ts'
import { age } from '../words/times.ts'
import { Live } from '../parts/account.tsx'

type Summary = Routes['GET /api/v1/accounts/{accountId}/summary']['answers'][200]

/** Summary of each account at live prices. */
function useSummaries() {
  const { data: accounts } = useAccountList()
  const ids = (accounts ?? []).map(({ id }) => id).toSorted()
  const prices = useStore(livePrices)
  const positions = useSummedPositions()
  return useQuery({
    queryKey: [...ACCOUNT_SUMMARIES, ids.join(' ')],
    select: (all) =>
      all.map((one) =>
        sumsAtLivePrices(
          one,
          positions.filter(({ accountId }) => accountId === one.accountId),
          prices,
        ),
      ),
    queryFn: () =>
      Promise.all(
        ids.map(
          async (accountId) =>
            (await ask('GET /api/v1/accounts/{accountId}/summary', { path: { accountId } })).body,
        ),
      ),
    enabled: accounts !== undefined,
  })
}

const columns = (now: number): Column<Summary>[] => [
  {
    name: 'Account',
    place: 'first',
    of: ({ name, isDemo, halt, broker }) => (
      <span className="flex flex-wrap items-center gap-2">
        <span>
          {!isDemo && <Live />}
          {name}
        </span>
        {halt && (
          <Chip kind="danger">
            <Power aria-hidden="true" /> {LEVELS[halt.level].stands.toLowerCase()}
          </Chip>
        )}
        {broker.status === 'error' && (
          <Chip kind="warn">
            <TriangleAlert aria-hidden="true" /> no answer
          </Chip>
        )}
      </span>
    ),
  },
  { name: 'Equity', isFigure: true, place: 'lead', of: ({ equity }) => money(equity) },
  {
    name: 'Today',
    isFigure: true,
    place: 'tail',
    of: ({ dayPnl, dayPnlPercent }) =>
      dayPnl === null ? (
        <span className="text-muted">not known yet</span>
      ) : (
        <Gain amount={dayPnl} rate={dayPnlPercent} />
      ),
  },
  { name: 'Buying power', isFigure: true, of: ({ buyingPower }) => money(buyingPower) },
  { name: 'Positions', isFigure: true, of: ({ openPositions }) => number(openPositions) },
  { name: 'Orders', isFigure: true, of: ({ openOrders }) => number(openOrders) },
  {
    name: 'Updated',
    place: 'second',
    of: ({ lastSyncedAt }) => (lastSyncedAt === null ? 'never' : age(now - Date.parse(lastSyncedAt))),
  },
]

export function Accounts({ now }: { now: number }) {
  const summaries = useSummaries()
  return (
    <Panel title="Accounts">
      <Loaded query={summaries} name="The accounts" rows={2}>
        {(all) => (
          <Table
            label="Accounts"
            columns={columns(now)}
            rows={all}
            keyOf={({ accountId }) => accountId}
            empty={<Empty title="No account yet">Connect a broker to begin.</Empty>}
          />
        )}
      </Loaded>
    </Panel>
  )
}
