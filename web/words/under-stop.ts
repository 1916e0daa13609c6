import type { AgendaItem, Order, Position } from '#client/types.ts'
import { haltForbids, type HaltLevel } from '#domain/risk/halt.ts'
import { isReducing } from '#domain/order/order.ts'
import { orderOf } from './agenda.ts'
import { age } from './times.ts'

type Plan = NonNullable<Position['protection']>['protectedBy'][number]

export interface Met {
  items: readonly AgendaItem[]
  isCut: boolean
  plans: readonly Pick<Plan, 'atBroker' | 'keptHere'>[]
  /** Orders at the broker, including those of exits. */
  orders: readonly Pick<Order, 'id' | 'side' | 'role'>[]
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const underStop = (level: HaltLevel, met: Met, now: number): string[] => [
  ...atBroker(level, met),
  ...keptHere(level, met),
  ...byClock(level, met, now),
]

/**
 * Orders at the broker continue at every level; while exits continue too, only orders that open a position are named.
 */
function atBroker(level: HaltLevel, { plans, orders }: Met): string[] {
  const ofExits = new Set(plans.flatMap((plan) => (plan.atBroker === null ? [] : [plan.atBroker.orderId])))
  const rest = orders.filter(({ id }) => !ofExits.has(id))
  const closing = rest.filter(({ side }) => isReducing(side)).length
  const opening = rest.length - closing
  const isFull = haltForbids(level, { reducing: true, isManual: false })
  const parts = [
    isFull && ofExits.size > 0 && counted(ofExits.size, 'stop or target', 'stops or targets'),
    isFull && closing > 0 && counted(closing, 'other closing order', 'other closing orders'),
    opening > 0 && counted(opening, 'order that opens a position', 'orders that open positions'),
  ].filter((part) => part !== false)
  return parts.length === 0 ? [] : [`At the broker, still able to fill: ${parts.join(', ')}.`]
}

/**
 * A moved stop at the broker needs no new order. A stop that is not at the broker, and a target that the service
 * watches, would need one.
 */
function keptHere(level: HaltLevel, { plans }: Met): string[] {
  if (!haltForbids(level, { reducing: true, isManual: false })) return []
  const moving = plans.filter(({ atBroker: order, keptHere: parts }) => {
    const hasStop = order !== null && order.orderType !== 'limit'
    return hasStop && (parts.includes('trail') || parts.includes('breakEven'))
  }).length
  const waiting = plans.flatMap(({ atBroker: order, keptHere: parts }) => {
    const hasStop = order !== null && order.orderType !== 'limit'
    const needStop = !hasStop && parts.some((part) => part !== 'target')
    return [...(needStop ? ['stop'] : []), ...(parts.includes('target') ? ['target'] : [])]
  }).length
  return [
    ...(moving > 0
      ? [
          `${capital(counted(moving, 'trail or break-even goes', 'trails or break-evens go'))} on moving the stop at the broker.`,
        ]
      : []),
    ...(waiting > 0
      ? [
          `${counted(waiting, 'stop or target is', 'stops or targets are')} kept by this service: nothing is sent when ${waiting === 1 ? 'it is' : 'they are'} reached, until you resume.`,
        ]
      : []),
  ]
}

function byClock(level: HaltLevel, { items, isCut }: Met, now: number): string[] {
  const orders = items.flatMap((item) => {
    const order = orderOf(item)
    return order ? [{ item, order }] : []
  })
  const closing = orders.filter(({ order }) => order.reducing)
  const opening = orders.filter(({ order }) => !order.reducing)
  const atLeast = isCut ? 'At least ' : ''
  const sentences: string[] = []
  const [first] = closing
  if (first && haltForbids(level, first.order)) {
    const left = Date.parse(first.item.at) - now
    const when = left <= 0 ? 'is due now' : `in ${age(left).replace(/ ago$/, '')}`
    const wait = closing.length === 1 ? 'it waits' : 'they wait'
    sentences.push(
      `${atLeast}${counted(closing.length, 'time exit is', 'time exits are')} planned, the first ${when}: ${wait} until you resume.`,
    )
  }
  const [entry] = opening
  if (entry && haltForbids(level, entry.order))
    sentences.push(
      `${atLeast}${counted(opening.length, 'planned entry is', 'planned entries are')} refused at ${opening.length === 1 ? 'its' : 'their'} time.`,
    )
  return sentences
}
