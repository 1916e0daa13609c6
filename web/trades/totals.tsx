import type { Routes } from '#client/types.ts'
import { Gain } from '../parts/gain.tsx'
import type { Reading } from '../parts/loaded.tsx'
import { money, number } from '../words/figures.ts'

type Sums = Routes['GET /api/v1/trades/totals']['answers'][200]['data']

/** Totals of the list on every page. */
export const Totals = ({ query: { data }, closed }: { query: Reading<Sums>; closed: string | undefined }) =>
  data === undefined || data.trades === 0 ? null : (
    <p className="flex flex-wrap items-baseline gap-x-4 gap-y-1 border-b border-line px-4 py-2 text-sm">
      <span>
        <b className="font-bold">{number(data.trades)}</b> {data.trades === 1 ? 'trade' : 'trades'}
        {closed !== undefined && /^\d/.test(closed) && ` closed on ${closed}`}
        {data.open > 0 && `, ${number(data.open)} open`}
      </span>
      <span>
        Result <Gain amount={data.realisedPnl} className="font-bold" />
      </span>
      <span className="text-muted">
        {number(data.wins)} won · fees {money(data.fees)}
      </span>
    </p>
  )
