import type { Signal } from '#client/types.ts'
import { Panel } from '../parts/panel.tsx'
import { money, percent } from '../words/figures.ts'
import { age } from '../words/times.ts'
import { useResult } from './story-data.ts'
import { Gain } from '../parts/gain.tsx'

/** What the signal has brought: dollars with their sign, arrow and colour; nothing before anything has filled. */
export function ResultCard({ signal, now }: { signal: Signal; now: number }) {
  const { data, dataUpdatedAt } = useResult(signal)
  if (!data) return null
  const { trade, open } = data
  const isOpen = trade.status === 'OPEN'
  const pnl = isOpen ? (open?.unrealisedPnl ?? null) : trade.realisedPnl
  const rate = isOpen ? (open?.unrealisedPnlPercent ?? null) : trade.realisedPnlPercent
  const price = isOpen ? (open?.currentPrice ?? null) : trade.exitPrice
  return (
    <Panel title={isOpen ? 'Result so far' : 'Result'}>
      <div className="p-4">
        <p className="text-2xl font-bold">{pnl === null ? 'not known yet' : <Gain amount={pnl} />}</p>
        <p className="text-xs text-muted">
          {[
            rate === null ? '' : percent(rate),
            `in at ${money(trade.entryPrice)}`,
            price === null ? '' : isOpen ? `price ${money(price)}` : `out at ${money(price)}`,
            `fees ${money(trade.fees)}`,
            isOpen && dataUpdatedAt > 0 ? `read ${age(now - dataUpdatedAt)}` : '',
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
      </div>
    </Panel>
  )
}
