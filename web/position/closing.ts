import type { Order, Position } from '#client/types.ts'
import { orderSentence } from '../words/order.ts'
import { bothTimes } from '../words/times.ts'
import type { Cover } from './list.ts'
import { worthOf } from './worth.ts'

/** A position as it stood when its close was asked about, so that a question does not change under the finger. */
export interface Closed {
  position: Position
  /** Orders that hold its shares and give way first, in words. */
  givingWay: readonly string[]
  /** When its planned exits are sent, in words. */
  exits: readonly string[]
}

export const closedOf = (position: Position, cover: Cover | undefined, now: number): Closed => ({
  position,
  givingWay: (cover?.working ?? []).map(orderSentence),
  exits: [
    ...(cover?.planned ?? []).map(({ exit }) => exit?.submitAt),
    ...(cover?.scheduled ?? []).map(({ scheduledAt }) => scheduledAt),
  ].flatMap((at) => (at == null ? [] : [bothTimes(at, now)])),
})

/** Whether other shares are held than were asked about; prices may move. */
export const isOtherwise = ({ position }: Closed, held: Position | undefined): boolean =>
  held === undefined || held.side !== position.side || held.quantity !== position.quantity

/** The gain of what an order that closes has filled; null while nothing has, or its price is not known. */
export function gainOf(position: Position, order: Order): number | null {
  const { filledQuantity, avgFillPrice } = order
  if (filledQuantity === 0 || avgFillPrice === null) return null
  return worthOf(position, filledQuantity, avgFillPrice).gain
}
