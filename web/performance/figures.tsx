import type { ReactNode } from 'react'
import { Gain } from '../parts/gain.tsx'
import { money, number } from '../words/figures.ts'
import { duration } from '../words/times.ts'
import type { Statistics } from './statistics.ts'
import { FEW_TRADES, isFew, ratioWords, winRateWords } from './words.ts'

export function Figures({ statistics }: { statistics: Statistics }) {
  const { all, maxDrawdown, sortino } = statistics
  return (
    <section aria-label="Figures of closed trades" className="grid gap-2">
      <dl className="grid grid-cols-2 gap-3 desk:grid-cols-4 wide:grid-cols-5">
        <Figure name="Realised P&L" note={`after ${money(all.fees)} of fees`}>
          <Gain amount={all.realisedPnl} />
        </Figure>
        <Figure name="Trades" note={`${number(all.wins)} won, ${number(all.losses)} lost`}>
          {number(all.trades)}
        </Figure>
        <Figure name="Win rate" note="of the trades that are closed">
          {winRateWords(all.winRate)}
        </Figure>
        <Figure name="Profit factor" note="won for each $ lost">
          {ratioWords(all.profitFactor)}
        </Figure>
        <Figure name="Expectancy" note="of an average trade">
          <Gain amount={all.expectancy} />
        </Figure>
        <Figure name="Max drawdown" note="of the realised curve">
          {maxDrawdown === 0 ? '–' : money(-maxDrawdown)}
        </Figure>
        <Figure name="Sortino" note="of daily results, a year">
          {ratioWords(sortino)}
        </Figure>
        <Figure name="Average hold" note="from entry to exit">
          {all.averageHoldSeconds === null ? '–' : duration(all.averageHoldSeconds * 1_000)}
        </Figure>
        <Figure name="Best trade" note="after fees">
          <Gain amount={all.bestTrade} />
        </Figure>
        <Figure name="Worst trade" note="after fees">
          <Gain amount={all.worstTrade} />
        </Figure>
      </dl>
      {isFew(all.trades) && (
        <p className="text-xs text-muted">
          With fewer than {FEW_TRADES} trades these figures are mostly chance.
        </p>
      )}
    </section>
  )
}

const Figure = ({ name, note, children }: { name: string; note: string; children: ReactNode }) => (
  <div className="min-w-0 rounded-card border border-line bg-surface px-4 py-3">
    <dt className="text-xs text-muted">{name}</dt>
    <dd className="text-lg font-bold">{children}</dd>
    <dd className="text-xs text-muted">{note}</dd>
  </div>
)
