import { useQuery } from '@tanstack/react-query'
import { CalendarClock, Clock, Hourglass, OctagonPause } from 'lucide-react'
import type { AgendaItem } from '#client/types.ts'
import { dataOf } from '../connection/ask.ts'
import { useFresh } from '../connection/fresh.ts'
import { sideWord } from '../words/order.ts'
import { ListTime } from '../parts/list-time.tsx'
import { Item } from '../parts/panel.tsx'
import { timeLeft } from '../words/times.ts'

const ICONS = { exit: Clock, schedule: CalendarClock, expiry: Hourglass, orderExpiry: Hourglass } as const

const WHY = {
  exit: 'exit of a signal',
  schedule: 'entry at its time',
  expiry: 'waits for you, then lapses',
  orderExpiry: 'the order ends unfilled',
} as const satisfies Record<AgendaItem['kind'], string>

/** Something that happens by the clock, and how long until then, or what holds it up. */
export function AgendaLine({
  item,
  now,
  account,
}: {
  item: AgendaItem
  now: number
  account?: string | undefined
}) {
  const { heldBy } = item
  const isHeld = heldBy !== null && !opens(item)
  const Icon = heldBy === null ? ICONS[item.kind] : OctagonPause
  const left = Date.parse(item.at) - now
  return (
    <Item
      icon={<Icon className={heldBy === null ? 'text-muted' : 'text-danger'} />}
      title={agendaTitle(item)}
      note={[WHY[item.kind], account].filter((part) => part !== undefined).join(' · ')}
      end={
        <span className="ml-auto text-right">
          <span className={`block font-medium ${left <= 60_000 ? 'text-warn' : ''}`}>
            {left > 0 ? `in ${timeLeft(left)}` : 'due now'}
          </span>
          <span className="block text-xs text-muted">
            <ListTime at={item.at} now={now} />
          </span>
        </span>
      }
    />
  )
}

/** What happens next by the clock, of one symbol or of all. */
export function useAgenda(symbol?: string, limit = 20) {
  useFresh(['signal', 'order', 'halt'], ['agenda'])
  return useQuery({
    queryKey: ['agenda', symbol ?? '', limit],
    queryFn: () =>
      dataOf('GET /api/v1/agenda', { query: { limit, ...(symbol !== undefined && { symbol }) } }),
  })
}
