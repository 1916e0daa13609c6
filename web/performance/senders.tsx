import { Empty } from '../parts/loaded.tsx'
import { Panel } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'
import { number, percent } from '../words/figures.ts'
import { duration } from '../words/times.ts'
import type { Statistics } from './statistics.ts'
import { sampleOf } from './words.ts'

/** Speed of each sender's fills, and their price against arrival. */
export const Senders = ({ senders }: { senders: Statistics['senders'] }) => (
  <Panel
    title="Execution by sender"
    aside={<span className="text-xs text-muted">signals with an order at market</span>}
  >
    <Table
      label="Execution by sender"
      rows={senders}
      keyOf={({ sentBy }) => sentBy ?? ''}
      empty={<Empty title="No signal was filled at market in this period" />}
      columns={[
        { name: 'Sender', place: 'first', of: ({ sentBy }) => sentBy ?? 'not recorded' },
        { name: 'Signals', isFigure: true, place: 'second', of: ({ signals }) => sampleOf(signals) },
        {
          name: 'Signal to fill, median',
          isFigure: true,
          place: 'lead',
          of: ({ medianSeconds }) => duration(medianSeconds * 1_000),
        },
        { name: '95 %', isFigure: true, of: ({ slowSeconds }) => duration(slowSeconds * 1_000) },
        {
          name: 'Slippage',
          isFigure: true,
          place: 'tail',
          of: ({ slippagePercent, compared }) =>
            slippagePercent === null ? '–' : `${percent(slippagePercent)} of ${number(compared)}`,
        },
      ]}
    />
    <p className="border-t border-line px-4 py-3 text-xs text-muted">
      The time runs from when a signal was sent, due or approved, whichever was last. Slippage compares the
      fill with the price when the signal began to wait for approval; above 0 is worse. Other signals have no
      such price.
    </p>
  </Panel>
)
