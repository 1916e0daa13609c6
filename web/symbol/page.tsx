import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Position, Account } from '#client/types.ts'
import { useWorkingOrders } from '../order/list.ts'
import { AccountName } from '../parts/account.tsx'
import { Button, buttonClass } from '../parts/button.tsx'
import { Gain } from '../parts/gain.tsx'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Panel } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { CloseSheet } from '../position/close-sheet.tsx'
import { useCovers, usePositions } from '../position/list.ts'
import { SIDES } from '../position/worth.ts'
import { useAccounts, useStrategies } from '../records/accounts.ts'
import { tradeColumns } from '../trades/columns.tsx'
import { useTrades } from '../trades/list.ts'
import { money, number } from '../words/figures.ts'
import { age } from '../words/times.ts'
import { useAsset } from './data.ts'
import { Market } from './market.tsx'
import { Planned } from './planned.tsx'
import { HeldLevels, Unprotected } from './protection.tsx'
import type { Timeframe } from './search.ts'
import { Fact, Facts } from '../parts/facts.tsx'

interface Props {
  symbol: string
  timeframe: Timeframe
  chooseTimeframe: (timeframe: Timeframe) => void
}

export function SymbolPage({ symbol, timeframe, chooseTimeframe }: Props) {
  const asset = useAsset(symbol)
  const positions = usePositions(symbol)
  const coverOf = useCovers()
  const accounts = useAccounts()
  const orders = useWorkingOrders(symbol)
  const now = useNow()
  const [closing, setClosing] = useState<Position | undefined>()
  const held = positions.data?.positions ?? []
  const closingAccount = closing && accounts.get(closing.accountId)
  const { data: about } = asset
  return (
    <>
      <PageHead
        name={symbol}
        note={
          about &&
          [
            about.name,
            about.exchange,
            about.tradable ? 'tradable' : 'not tradable',
            about.shortable ? 'shortable' : '',
          ]
            .filter((word) => word !== '')
            .join(' · ')
        }
      >
        <Link to="/orders/new" search={{ symbol }} className={buttonClass()}>
          New order
        </Link>
        {held.length === 1 && held[0] && (
          <Button kind="danger" onClick={() => setClosing(held[0])}>
            Close position…
          </Button>
        )}
      </PageHead>
      <div className="grid items-start gap-4 wide:grid-cols-[minmax(0,1fr)_minmax(300px,380px)]">
        <div className="grid min-w-0 gap-4 max-wide:contents">
          <Market
            symbol={symbol}
            timeframe={timeframe}
            choose={chooseTimeframe}
            positions={held}
            orders={orders.data}
          />
          <div className="min-w-0 max-wide:order-1">
            <RoundTrips symbol={symbol} />
          </div>
        </div>
        <div className="grid min-w-0 gap-4">
          <Panel title="Position">
            <Loaded query={positions} name="The position" rows={3}>
              {() =>
                held.length === 0 ? (
                  <Empty title="No positions" />
                ) : (
                  held.map((position) => (
                    <Held
                      key={position.id}
                      position={position}
                      account={accounts.get(position.accountId)}
                      now={now}
                      close={held.length > 1 ? () => setClosing(position) : undefined}
                    />
                  ))
                )
              }
            </Loaded>
          </Panel>
          <HeldLevels positions={held} />
          <Unprotected positions={held} now={now} />
          <Planned symbol={symbol} positions={held} coverOf={coverOf} orders={orders} now={now} />
        </div>
      </div>
      {closing && closingAccount && coverOf && (
        <CloseSheet
          position={held.find(({ id }) => id === closing.id)}
          account={closingAccount}
          coverOf={coverOf}
          now={now}
          close={() => setClosing(undefined)}
        />
      )}
    </>
  )
}

function RoundTrips({ symbol }: { symbol: string }) {
  const trades = useTrades({ symbol })
  const strategies = useStrategies()
  const now = useNow()
  return (
    <Panel
      title="Round trips"
      aside={
        <Link
          to="/trades"
          search={{ symbol }}
          className="inline-flex min-h-11 items-center underline desk:min-h-6"
        >
          all trades
        </Link>
      }
    >
      <Loaded query={trades} name="The round trips">
        {(page) => (
          <Table
            label={`Round trips in ${symbol}`}
            columns={tradeColumns({ strategies: strategies.data, now, withSymbol: false })}
            rows={page.trades.slice(0, 10)}
            keyOf={({ id }) => id}
            empty={<Empty title="Not traded yet" />}
          />
        )}
      </Loaded>
    </Panel>
  )
}

const route = getRouteApi('/gate/shell/symbols/$symbol')

export function SymbolRoute() {
  const { symbol } = route.useParams()
  const { bars = '5m' } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <SymbolPage
      key={symbol}
      symbol={symbol}
      timeframe={bars}
      chooseTimeframe={(next) => void navigate({ search: { bars: next }, replace: true })}
    />
  )
}

interface HeldProps {
  position: Position
  account: Account | undefined
  now: number
  close: (() => void) | undefined
}

const Held = ({ position, account, now, close }: HeldProps) => (
  <div className="border-line p-4 not-last:border-b">
    <div className="flex items-start justify-between gap-3">
      <div>
        <p className="text-2xl font-bold">
          {number(position.quantity)} {SIDES[position.side]}
        </p>
        <Gain amount={position.unrealisedPnl} rate={position.unrealisedPnlPercent} className="font-medium" />
      </div>
      {close && <Button onClick={close}>Close…</Button>}
    </div>
    <Facts>
      <Fact name="Average cost">{money(position.avgCost)}</Fact>
      <Fact name="Market value">{money(position.marketValue)}</Fact>
      {account && account.equity > 0 && (
        <Fact name="Share of equity">
          {((Math.abs(position.marketValue) / account.equity) * 100).toFixed(1)} %
        </Fact>
      )}
      <Fact name="Account">
        <AccountName id={position.accountId} />
      </Fact>
      <Fact name="Updated">{age(now - Date.parse(position.lastUpdated))}</Fact>
    </Facts>
  </div>
)
