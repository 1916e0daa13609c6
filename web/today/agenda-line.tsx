import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CalendarClock, Clock, Hourglass } from 'lucide-react'
import type { AgendaItem } from '#client/types.ts'
import { ENTRY_SIDE, EXIT_SIDE, isOpening } from '#domain/signal.ts'
import { amount } from '../words/signal.ts'
import { dataOf } from '../connection/ask.ts'
import { useFresh } from '../connection/fresh.ts'
import { sideWord } from '../words/order.ts'
import { Item } from '../parts/panel.tsx'
import { bothTimes, timeLeft } from '../words/times.ts'

const ICONS = { exit: Clock, schedule: CalendarClock, expiry: Hourglass, orderExpiry: Hourglass } as const

/** What happens, in words: "Sell 10 AAPL". */
function agendaTitle(item: AgendaItem): string {
  const what = `${amount(item)} ${item.symbol}`
  if (item.side !== null) return `${sideWord({ side: item.side })} ${what}`
  if (item.action === null) return what
  const { kind, action } = item
  const side = kind === 'exit' && isOpening(action) ? EXIT_SIDE[action] : ENTRY_SIDE[action]
  return `${sideWord({ side })} ${what}`
}

const WHY = {
  exit: 'exit of a signal',
  schedule: 'entry at its time',
  expiry: 'waits for you, then lapses',
  orderExpiry: 'the order ends unfilled',
} as const satisfies Record<AgendaItem['kind'], string>

/** The way to the signal or the order that it is about. */
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

/** Something that happens by the clock, and how long until then. */
export function AgendaLine({
  item,
  now,
  account,
}: {
  item: AgendaItem
  now: number
  account?: string | undefined
}) {
  const Icon = ICONS[item.kind]
  const left = Date.parse(item.at) - now
  const [market, here] = bothTimes(item.at, now).split(' · ')
  return (
    <Item
      icon={<Icon className="text-muted" />}
      title={<AgendaLink item={item}>{agendaTitle(item)}</AgendaLink>}
      note={[WHY[item.kind], here, account].filter((part) => part !== undefined).join(' · ')}
      end={
        <span className="ml-auto text-right">
          <span className={`block font-medium ${left <= 60_000 ? 'text-warn' : ''}`}>
            {left > 0 ? `in ${timeLeft(left)}` : 'due now'}
          </span>
          <time dateTime={item.at} className="block text-xs text-muted">
            {market}
          </time>
        </span>
      }
    />
  )
}

/** What happens next by the clock, of one symbol or of all. */
export function useAgenda(symbol?: string, limit = 20) {
  useFresh(['signal', 'order'], ['agenda'])
  return useQuery({
    queryKey: ['agenda', symbol ?? '', limit],
    queryFn: () =>
      dataOf('GET /api/v1/agenda', { query: { limit, ...(symbol !== undefined && { symbol }) } }),
  })
}
