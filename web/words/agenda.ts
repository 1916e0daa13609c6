import type { AgendaItem } from '#client/types.ts'
import { haltAgainst, type HaltedOrder, type HaltLevel } from '#domain/risk/halt.ts'
import { ENTRY_SIDE, EXIT_SIDE, isOpening } from '#domain/signal/signal.ts'
import { sideWord } from './order.ts'
import { amount } from './signal.ts'
import { shortTime } from './times.ts'

/** Words for a scheduled item: "Sell 10 AAPL". */
export function agendaTitle(item: AgendaItem): string {
  const what = `${amount(item)} ${item.symbol}`
  if (item.side !== null) return `${sideWord({ side: item.side })} ${what}`
  if (item.action === null) return what
  const { kind, action } = item
  const side = kind === 'exit' && isOpening(action) ? EXIT_SIDE[action] : ENTRY_SIDE[action]
  return `${sideWord({ side })} ${what}`
}

/** Order that is sent at the time of an item; null for none. */
export const orderOf = ({ kind, action }: AgendaItem): HaltedOrder | null => {
  if (kind === 'exit') return { reducing: true, isManual: false }
  return kind === 'schedule' && action !== null ? { reducing: !isOpening(action), isManual: false } : null
}

/** Whether an item opens a position: a halt denies it, and delays one that closes. */
export const opens = (item: AgendaItem): boolean => orderOf(item)?.reducing === false

/** Effect of a halt on a planned order: "Waits: the stop since 02:36 New York". */
export const heldWords = (since: string, now: number, isOpeningOrder: boolean): string => {
  const stop = `the stop since ${shortTime(since, now)} New York`
  return isOpeningOrder ? `Refused at its time if ${stop} is still on` : `Waits: ${stop}`
}

type Standing = { id: string; level: HaltLevel; accountId: string | null }

/** Overdue items that no other halt stops: they are sent when the halt is lifted. */
export function releasedBy(
  lifted: Standing,
  standing: readonly Standing[],
  items: readonly AgendaItem[],
  now: number,
): AgendaItem[] {
  const rest = standing.filter(({ id }) => id !== lifted.id)
  return items.filter((item) => {
    const order = orderOf(item)
    if (!order?.reducing || Date.parse(item.at) > now) return false
    return haltAgainst(standing, item.accountId, order) && !haltAgainst(rest, item.accountId, order)
  })
}
