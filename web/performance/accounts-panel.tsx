import { Link } from '@tanstack/react-router'
import { Gain } from '../parts/gain.tsx'
import { Empty, Loaded, type Reading } from '../parts/loaded.tsx'
import { Panel } from '../parts/panel.tsx'
import { Table, type Column } from '../parts/table.tsx'
import { number, percent } from '../words/figures.ts'
import type { AccountPerformance } from './data.ts'
import { ratioWords, winRateWords } from './words.ts'

export const AccountsPanel = ({
  performance,
}: {
  performance: Reading<{ accounts: readonly AccountPerformance[] }>
}) => (
  <Panel title="Accounts">
    <Loaded query={performance} name="The performance">
      {({ accounts }) => (
        <Table
          label="Accounts"
          columns={COLUMNS}
          rows={accounts}
          keyOf={({ accountId }) => accountId}
          empty={<Empty title="No account in this trading mode" />}
        />
      )}
    </Loaded>
  </Panel>
)

const COLUMNS: readonly Column<AccountPerformance>[] = [
  { name: 'Account', place: 'first', of: ({ name }) => name },
  { name: 'Return', isFigure: true, place: 'lead', of: ({ returnPercent }) => <Gain rate={returnPercent} /> },
  {
    name: 'Realised P&L',
    isFigure: true,
    place: 'tail',
    of: ({ realisedPnl }) => <Gain amount={realisedPnl} />,
  },
  {
    name: 'Max drawdown',
    isFigure: true,
    of: ({ maxDrawdownPercent: fall }) => (fall === null ? '–' : percent(-Math.abs(fall))),
  },
  { name: 'Sharpe', isFigure: true, of: ({ sharpe }) => ratioWords(sharpe) },
  { name: 'Trades', isFigure: true, of: ({ trades }) => number(trades) },
  { name: 'Win rate', isFigure: true, of: ({ winRate }) => winRateWords(winRate) },
  { name: 'Profit factor', isFigure: true, of: ({ profitFactor }) => ratioWords(profitFactor) },
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
