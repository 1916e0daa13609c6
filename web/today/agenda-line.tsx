import { CalendarClock, Clock, Hourglass } from 'lucide-react'
import type { AgendaItem } from '#client/types.ts'
import { bothTimes, money, number, timeLeft } from '../parts/format.ts'
import { sideWord } from '../orders/words.ts'
import { Item } from '../parts/panel.tsx'

const ICONS = { exit: Clock, schedule: CalendarClock, expiry: Hourglass, orderExpiry: Hourglass } as const

const OPENS = { openLong: 'Buy', closeLong: 'Sell', openShort: 'Sell short', closeShort: 'Buy back' } as const
/** What the exit of a signal does to what its entry has opened. */
const CLOSES = {
  openLong: 'Sell',
  closeLong: 'Buy',
  openShort: 'Buy back',
  closeShort: 'Sell short',
} as const

const amount = ({ quantity, quantityType }: AgendaItem): string =>
  ({
    fixed: number(quantity),
    percentEquity: `${number(quantity)} % of equity in`,
    dollarAmount: `${money(quantity)} of`,
  })[quantityType]

/** What happens, in words: "Sell 10 AAPL". */
function agendaTitle(item: AgendaItem): string {
  const what = `${amount(item)} ${item.symbol}`
  if (item.side !== null) return `${sideWord({ side: item.side })} ${what}`
  if (item.action === null) return what
  return `${(item.kind === 'exit' ? CLOSES : OPENS)[item.action]} ${what}`
}

const WHY = {
  exit: 'exit of a signal',
  schedule: 'entry at its time',
  expiry: 'waits for you, then lapses',
  orderExpiry: 'the order ends unfilled',
} as const satisfies Record<AgendaItem['kind'], string>

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
      title={agendaTitle(item)}
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
