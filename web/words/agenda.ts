import type { AgendaItem } from '#client/types.ts'
import { haltAgainst, haltForbids, type HaltedOrder, type HaltLevel } from '#domain/halt.ts'
import { ENTRY_SIDE, EXIT_SIDE, isOpening } from '#domain/signal.ts'
import { sideWord } from './order.ts'
import { amount } from './signal.ts'
import { age, shortTime } from './times.ts'

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
const orderOf = ({ kind, action }: AgendaItem): HaltedOrder | null => {
  if (kind === 'exit') return { reducing: true, isManual: false }
  return kind === 'schedule' && action !== null ? { reducing: !isOpening(action), isManual: false } : null
}

/** An order of an item opens a position: a stop refuses it when its time comes, while it holds what closes. */
export const opens = (item: AgendaItem): boolean => orderOf(item)?.reducing === false

/** "Held by the stop since 02:36 New York": what a stop does to what is planned. */
export const heldWords = (since: string, now: number, isOpeningOrder: boolean): string => {
  const stop = `the stop since ${shortTime(since, now)} New York`
  return isOpeningOrder ? `Refused at its time if ${stop} still stands` : `Held by ${stop}`
}

/** What is planned, as far as it is known. */
export interface Planned {
  items: readonly AgendaItem[]
  /** There is more than these. */
  isCut: boolean
}

const counted = ({ isCut }: Planned, count: number, one: string, many: string): string =>
  `${isCut ? 'At least ' : ''}${count} ${count === 1 ? one : many}`

/** What a level of the stop would do to what is planned, a sentence for exits and one for entries. */
export function planUnder(level: HaltLevel, planned: Planned, now: number): string[] {
  const orders = planned.items.flatMap((item) => {
    const order = orderOf(item)
    return order ? [{ item, order }] : []
  })
  const closing = orders.filter(({ order }) => order.reducing)
  const opening = orders.filter(({ order }) => !order.reducing)
  const sentences: string[] = []
  const [first] = closing
  if (first && haltForbids(level, first.order)) {
    const left = Date.parse(first.item.at) - now
    const when = left <= 0 ? 'is due now' : `in ${age(left).replace(/ ago$/, '')}`
    const [are, wait] = closing.length === 1 ? ['exit is', 'it waits'] : ['exits are', 'they wait']
    sentences.push(
      `${counted(planned, closing.length, are, are)} planned, the first ${when}: ${wait} until you resume.`,
    )
  }
  const [entry] = opening
  if (entry && haltForbids(level, entry.order))
    sentences.push(
      `${counted(planned, opening.length, 'planned entry is', 'planned entries are')} refused at ${opening.length === 1 ? 'its' : 'their'} time.`,
    )
  return sentences
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
