import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CalendarClock, Clock, Hourglass, OctagonPause } from 'lucide-react'
import type { AgendaItem } from '#client/types.ts'
import { dataOf } from '../connection/ask.ts'
import { ListTime } from '../parts/list-time.tsx'
import { Item } from '../parts/panel.tsx'
import { agendaTitle, heldWords, opens } from '../words/agenda.ts'
import { timeLeft } from '../words/times.ts'

const ICONS = { exit: Clock, schedule: CalendarClock, expiry: Hourglass, orderExpiry: Hourglass } as const

const WHY = {
  exit: 'exit of a signal',
  schedule: 'entry at its time',
  expiry: 'needs approval, then expires',
  orderExpiry: 'order expires',
} as const satisfies Record<AgendaItem['kind'], string>

function AgendaLink({ item: { signalId, orderId }, children }: { item: AgendaItem; children: string }) {
  if (signalId !== null)
    return (
      <Link to="/signals/$id" params={{ id: signalId }} className="hover:underline">
        {children}
      </Link>
    )
  if (orderId === null) return children
  return (
    <Link to="/orders/$order" params={{ order: orderId }} className="hover:underline">
      {children}
    </Link>
  )
}

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
      title={<AgendaLink item={item}>{agendaTitle(item)}</AgendaLink>}
      note={[heldBy === null ? WHY[item.kind] : heldWords(heldBy.since, now, opens(item)), account]
        .filter((part) => part !== undefined)
        .join(' · ')}
      end={
        <span className="ml-auto text-right">
          {isHeld ? (
            <span className="block font-medium text-danger">held</span>
          ) : (
            <span className={`block font-medium ${left <= 60_000 ? 'text-warn' : ''}`}>
              {left > 0 ? `in ${timeLeft(left)}` : 'due now'}
            </span>
          )}
          <span className="block text-xs text-muted">
            <ListTime at={item.at} now={now} />
          </span>
        </span>
      }
    />
  )
}

export function useAgenda(symbol?: string, limit = 20) {
  return useQuery({
    queryKey: ['agenda', symbol ?? '', limit],
    queryFn: () =>
      dataOf('GET /api/v1/agenda', { query: { limit, ...(symbol !== undefined && { symbol }) } }),
  })
}
