import type { ReactNode } from 'react'
import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Gain } from '../parts/gain.tsx'
import { Empty } from '../parts/loaded.tsx'
import { Panel } from '../parts/panel.tsx'
import { ResultBar } from '../parts/result-bar.tsx'
import { Table, type Column } from '../parts/table.tsx'
import { gain, number } from '../words/figures.ts'
import { duration } from '../words/times.ts'
import type { Figures } from './statistics.ts'
import { isFew, ratioWords, sampleOf, winRateWords } from './words.ts'

const GROUPS_SHOWN = 8

interface Props<Key extends string | number | null, Group extends Figures & { key: Key }> {
  title: string
  by: string
  note?: string
  groups: readonly Group[]
  nameOf: (key: Key) => ReactNode
  /** `trades`: the most traded first, with a few shown. `key`: in the given order. */
  order?: 'trades' | 'key'
  more?: readonly Column<Group>[]
}

export function Breakdown<Key extends string | number | null, Group extends Figures & { key: Key }>({
  title,
  by,
  note,
  groups,
  nameOf,
  order = 'key',
  more = [],
}: Props<Key, Group>) {
  const [isWhole, setWhole] = useState(false)
  const sorted = order === 'key' ? groups : groups.toSorted((a, b) => b.trades - a.trades)
  const rows = order === 'key' || isWhole ? sorted : sorted.slice(0, GROUPS_SHOWN)
  const widest = Math.max(...groups.map(({ realisedPnl }) => Math.abs(realisedPnl)), 0)
  return (
    <Panel title={title} aside={note !== undefined && <span className="text-xs text-muted">{note}</span>}>
      <Table
        label={title}
        columns={[...columnsOf<Key, Group>({ by, nameOf, widest }), ...more]}
        rows={rows}
        keyOf={({ key }) => String(key)}
        empty={<Empty title="No closed trade" />}
      />
      {rows.length < sorted.length && (
        <p className="border-t border-line p-3">
          <Button onClick={() => setWhole(true)}>Show all {number(sorted.length)}</Button>
        </p>
      )}
    </Panel>
  )
}

const columnsOf = <Key extends string | number | null, Group extends Figures & { key: Key }>({
  by,
  nameOf,
  widest,
}: Pick<Props<Key, Group>, 'by' | 'nameOf'> & { widest: number }): Column<Group>[] => [
  { name: by, place: 'first', of: ({ key }) => nameOf(key) },
  {
    name: 'Trades',
    isFigure: true,
    place: 'second',
    sortValue: ({ trades }) => trades,
    of: ({ trades }) => <Sample trades={trades} />,
  },
  {
    name: 'Realised P&L',
    isFigure: true,
    sortValue: ({ realisedPnl }) => realisedPnl,
    place: 'lead',
    of: ({ realisedPnl, trades }) => <Result amount={realisedPnl} trades={trades} />,
  },
  {
    name: 'Compared',
    place: 'desk',
    of: ({ realisedPnl, trades }) => (
      <ResultBar value={realisedPnl} widest={widest} isMuted={isFew(trades)} />
    ),
  },
  {
    name: 'Win rate',
    isFigure: true,
    place: 'tail',
    sortValue: ({ winRate }) => winRate,
    of: ({ winRate }) => winRateWords(winRate),
  },
  {
    name: 'Expectancy',
    isFigure: true,
    sortValue: ({ expectancy }) => expectancy,
    of: ({ expectancy, trades }) =>
      expectancy === null ? '–' : <Result amount={expectancy} trades={trades} />,
  },
  {
    name: 'Profit factor',
    isFigure: true,
    place: 'desk',
    of: ({ profitFactor }) => ratioWords(profitFactor),
  },
  {
    name: 'Average hold',
    place: 'desk',
    isFigure: true,
    of: ({ averageHoldSeconds }) =>
      averageHoldSeconds === null ? '–' : duration(averageHoldSeconds * 1_000),
  },
]

/** Colourless for few trades. */
const Result = ({ amount, trades }: { amount: number; trades: number }) =>
  isFew(trades) ? <span className="text-muted">{gain(amount)}</span> : <Gain amount={amount} />

const Sample = ({ trades }: { trades: number }) => (
  <span className={isFew(trades) ? 'text-muted' : ''}>
    {sampleOf(trades)}
    <span className="desk:hidden"> trades</span>
  </span>
)
