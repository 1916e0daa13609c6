import type { AgendaItem } from '#client/types.ts'
import { haltAgainst, type HaltedOrder, type HaltLevel } from '#domain/risk/halt.ts'
import { ENTRY_SIDE, EXIT_SIDE, isOpening } from '#domain/signal/signal.ts'
import { sideWord } from './order.ts'
import { amount } from './signal.ts'
import { shortTime } from './times.ts'

/** What happens, in words: "Sell 10 AAPL". */
export function agendaTitle(item: AgendaItem): string {
  const what = `${amount(item)} ${item.symbol}`
  if (item.side !== null) return `${sideWord({ side: item.side })} ${what}`
  if (item.action === null) return what
  const { kind, action } = item
  const side = kind === 'exit' && isOpening(action) ? EXIT_SIDE[action] : ENTRY_SIDE[action]
  return `${sideWord({ side })} ${what}`
}

/** The order that is sent when the time of an item comes; null where none is. */
export const orderOf = ({ kind, action }: AgendaItem): HaltedOrder | null => {
  if (kind === 'exit') return { reducing: true, isManual: false }
  return kind === 'schedule' && action !== null ? { reducing: !isOpening(action), isManual: false } : null
}

/** An order of an item opens a position: a stop refuses it when its time comes, while it holds what closes. */
export const opens = (item: AgendaItem): boolean => orderOf(item)?.reducing === false

/** "Held by the stop since 02:36 New York": what a stop does to what is planned. */
export const heldWords = (since: string, now: number, isOpeningOrder: boolean): string => {
  const stop = `the stop since ${shortTime(since, now)} New York`
  return isOpeningOrder ? `Refused at its time if ${stop} is still on` : `Waits: ${stop}`
}

type Standing = { id: string; level: HaltLevel; accountId: string | null }

/** Overdue items that go out in the moment in which a halt is lifted: those that no other halt holds. */
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
