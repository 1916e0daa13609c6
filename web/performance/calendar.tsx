import { Link } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Gain } from '../parts/gain.tsx'
import { Empty } from '../parts/loaded.tsx'
import { Panel } from '../parts/panel.tsx'
import type { Statistics } from './statistics.ts'
import { manyTrades, monthName, nextMonth, weekdayName, weeksOf } from './words.ts'

type Day = Statistics['days'][number]

export function Calendar({ days }: { days: readonly Day[] }) {
  const byDate = useMemo(() => new Map(days.map((day) => [day.date, day])), [days])
  const [chosen, setMonth] = useState<string>()
  const [first, last] = [days[0]?.date.slice(0, 7), days.at(-1)?.date.slice(0, 7)]
  if (first === undefined || last === undefined)
    return (
      <Panel title="Calendar">
        <Empty title="No day with a closed trade" />
      </Panel>
    )
  const month = chosen === undefined || chosen < first || chosen > last ? last : chosen
  const ofMonth = days.filter(({ date }) => date.startsWith(month))
  const total = ofMonth.reduce((sum, { realisedPnl }) => sum + realisedPnl, 0)
  const isWeekend = (date: string) => new Date(`${date}T12:00Z`).getUTCDay() % 6 === 0
  const weeks = weeksOf(
    month,
    ofMonth.some(({ date }) => isWeekend(date)),
  )
  return (
    <Panel
      title="Calendar"
      aside={
        <span className="flex items-center gap-2">
          <Button
            aria-label="Month before"
            disabled={month <= first}
            onClick={() => setMonth(nextMonth(month, -1))}
          >
            <ChevronLeft aria-hidden="true" className="size-4" />
          </Button>
          <span role="status" className="min-w-28 text-center text-sm">
            {monthName(month)}
          </span>
          <Button
            aria-label="Month after"
            disabled={month >= last}
            onClick={() => setMonth(nextMonth(month, 1))}
          >
            <ChevronRight aria-hidden="true" className="size-4" />
          </Button>
        </span>
      }
    >
      <p className="flex flex-wrap items-baseline gap-x-3 px-4 pt-3">
        <Gain amount={total} className="text-lg font-bold" />
        <span className="text-xs text-muted">
          {manyTrades(ofMonth.reduce((sum, { trades }) => sum + trades, 0))} on {ofMonth.length}{' '}
          {ofMonth.length === 1 ? 'day' : 'days'}
        </span>
      </p>
      <div className="p-3">
        <table className="w-full table-fixed border-separate border-spacing-1">
          <caption className="sr-only">{monthName(month)}, result of each day</caption>
          <thead>
            <tr>
              {weeks[0]?.map((_, at) => (
                <th key={at} scope="col" className="text-xs font-medium text-muted">
                  <abbr title={weekdayName(at + 1)} className="no-underline">
                    {weekdayName(at + 1).slice(0, 3)}
                  </abbr>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {weeks.map((week, row) => (
              <tr key={row}>
                {week.map((cell, at) => (
                  <td key={at} className="h-16 rounded-control p-0 align-top">
                    {cell && <Cell day={cell.day} date={cell.date} known={byDate.get(cell.date)} />}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

const CELL = 'grid h-full min-h-16 content-start rounded-control border px-1 py-1 text-xs desk:px-2'

const Cell = ({ day, date, known }: { day: number; date: string; known: Day | undefined }) =>
  known === undefined ? (
    <span className={`${CELL} border-line text-muted`}>{day}</span>
  ) : (
    <Link
      to="/trades"
      search={{ closed: date }}
      className={`${CELL} bg-sunken ${known.realisedPnl < 0 ? 'border-sell' : known.realisedPnl > 0 ? 'border-buy' : 'border-edge'}`}
    >
      <span className="text-muted">{day}</span>
      <Gain amount={known.realisedPnl} isWhole className="font-medium" />
      <span className="text-muted">
        {known.trades}
        <span className="max-desk:sr-only"> {known.trades === 1 ? 'trade' : 'trades'}</span>
      </span>
    </Link>
  )
